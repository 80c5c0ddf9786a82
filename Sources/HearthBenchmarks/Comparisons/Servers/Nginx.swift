// nginx, and its module nchan, from Debian's packages.
import Glibc

/// Starts nginx with what is to be compared, and nothing else.
enum Nginx {
    static let module = "/usr/lib/nginx/modules/ngx_nchan_module.so"

    /// What is served beside the rooms of nchan.
    struct Content {
        /// What `GET /small` answers from memory.
        var small = "{}"
        /// What `GET /files/window` answers from a file.
        var file: [UInt8] = []
    }

    /// Starts a server with so many workers.
    ///
    /// - Parameter content: nil for a server of nchan, with a publisher at `/publish/ROOM` and listeners at
    ///   `/listen/ROOM`.
    static func start(_ program: String, workers: Int, _ content: Content?) throws -> RunningServer {
        let folder = try Leftovers.makeFolder()
        try TextFile.makeFolder(folder + "/files")
        if let content { try TextFile.write(content.file, to: folder + "/files/window") }
        let file = folder + "/nginx.conf"
        return try RunningServer.start(program, in: folder) { port in
            let locations = content.map(locations) ?? rooms
            let text = configuration(folder, workers, isRooms: content == nil) { server(port, locations) }
            try TextFile.write(Array(text.utf8), to: file)
            return ["-p", folder, "-c", file, "-e", folder + "/error"]
        }
    }

    /// How a room of nchan is published in and listened to.
    static func broadcast(_ form: Broadcast.Form, from server: RunningServer) -> Broadcast {
        let port = server.port
        let target = { (room: String) in "/publish/\(room)" }
        let listening = { (room: String) in "/listen/\(room)" }
        switch form {
        case .eventStream:
            return Broadcast(
                form: form, server: server,
                listen: { Broadcast.get(listening($0), port: port, ["Accept: text/event-stream"]) },
                target: target)
        case .webSocket:
            return Broadcast(
                form: form, server: server, listen: { Broadcast.upgrade(listening($0), port: port) },
                target: target)
        case .longPoll:
            return Broadcast(
                form: form, server: server, listen: { Broadcast.get(listening($0), port: port) },
                listenOn: { room, answer in
                    guard let time = answer.header("Last-Modified"), let tag = answer.header("Etag") else {
                        throw ComparisonFailure("a long poll was answered without its place")
                    }
                    return Broadcast.get(
                        listening(room), port: port, ["If-Modified-Since: \(time)", "If-None-Match: \(tag)"])
                }, target: target)
        }
    }

    private static func configuration(
        _ folder: String, _ workers: Int, isRooms: Bool, server: () -> String
    ) -> String {
        """
        daemon off;
        \(geteuid() == 0 ? "user root;" : "")
        worker_processes \(workers);
        worker_rlimit_nofile 20000;
        pid \(folder)/pid;
        error_log \(folder)/error error;
        \(isRooms ? "load_module \(module);" : "")
        events { worker_connections 19000; }
        http {
            access_log off;
            client_body_temp_path \(folder)/body;
            proxy_temp_path \(folder)/proxy;
            fastcgi_temp_path \(folder)/fastcgi;
            uwsgi_temp_path \(folder)/uwsgi;
            scgi_temp_path \(folder)/scgi;
            keepalive_requests 1000000000;
            keepalive_timeout 600s;
            sendfile on;
            tcp_nopush on;
            open_file_cache max=100;
            default_type application/json;
            \(isRooms ? "nchan_shared_memory_size 256M;" : "")
            \(server())
        }

        """
    }

    private static func server(_ port: UInt16, _ locations: String) -> String {
        "server { listen 127.0.0.1:\(port) backlog=4096; \(locations) }"
    }

    private static func locations(_ content: Content) -> String {
        """
        location = /small { return 200 '\(content.small)'; }
        location /files/ { root .; }
        """
    }

    private static let rooms = """
        location ~ ^/publish/(\\w+)$ {
            nchan_publisher http;
            nchan_channel_id $1;
            nchan_message_buffer_length 10000;
            nchan_message_timeout 60s;
        }
        location ~ ^/listen/(\\w+)$ {
            nchan_subscriber eventsource websocket longpoll;
            nchan_channel_id $1;
            nchan_subscriber_first_message newest;
        }
        location = /status { nchan_stub_status; }
        """
}
