"""A certificate authority of a script's own."""
import base64
import datetime
import hashlib
import ipaddress

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

DAY = datetime.timedelta(days=1)


class Authority:
    """Signs certificates for localhost and 127.0.0.1."""

    def __init__(self, folder, name):
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        certificate = self._sign(self._key, self._name, [
            (x509.BasicConstraints(ca=True, path_length=None), True),
            (x509.KeyUsage(*[False] * 5, True, True, False, False), True),
            (x509.SubjectKeyIdentifier.from_public_key(self._key.public_key()), False),
        ])
        self.file = str(folder / f"{name}.pem")
        with open(self.file, "wb") as file:
            file.write(certificate.public_bytes(serialization.Encoding.PEM))

    def issue(self, chain, key):
        """Writes a certificate and its key to two files; returns its number and the digest of its public key."""
        own = ec.generate_private_key(ec.SECP256R1())
        names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
        certificate = self._sign(own, subject, [
            (x509.SubjectAlternativeName(names), False),
            (x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), False),
            (x509.SubjectKeyIdentifier.from_public_key(own.public_key()), False),
        ])
        with open(chain, "wb") as file:
            file.write(certificate.public_bytes(serialization.Encoding.PEM))
        with open(key, "wb") as file:
            file.write(own.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        public = own.public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
        return certificate.serial_number, base64.b64encode(hashlib.sha256(public).digest()).decode()

    def _sign(self, own, subject, extensions):
        now = datetime.datetime.now(datetime.timezone.utc)
        builder = x509.CertificateBuilder(
            issuer_name=self._name, subject_name=subject, public_key=own.public_key(),
            serial_number=x509.random_serial_number(), not_valid_before=now - DAY,
            not_valid_after=now + 30 * DAY)
        for extension, is_critical in extensions:
            builder = builder.add_extension(extension, is_critical)
        return builder.sign(self._key, hashes.SHA256())
