#pragma once
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// Macros with casts, which Swift does not see.
static const uint64_t hearth_tls_options = SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION
    | SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA;
static const long hearth_tls_mode = SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
    | SSL_MODE_AUTO_RETRY;
static const int hearth_bio_retry_read = BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY;
static const int hearth_bio_retry_all = BIO_FLAGS_RWS | BIO_FLAGS_SHOULD_RETRY;
