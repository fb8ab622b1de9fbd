#ifndef PROWESS_PLUGIN_H
#define PROWESS_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#define PROWESS_PLUGIN_ABI 1

/* Bytes that whoever made them frees. Nothing is `{NULL, 0}`. */
typedef struct prowess_buffer {
    uint8_t *data;
    size_t length;
} prowess_buffer;

/* What a plugin may ask of its host. */
typedef struct prowess_host {
    void *context;
    /* Asks, and waits for the answer. */
    prowess_buffer (*call)(void *context, const uint8_t *request, size_t length);
    /* Gives an answer of `call` back, once. */
    void (*free)(void *context, prowess_buffer answer);
} prowess_host;

/* What a plugin exports. */
extern const uint32_t prowess_plugin_abi;
prowess_buffer prowess_plugin_call(const prowess_host *host, const uint8_t *request, size_t length);
void prowess_plugin_free(prowess_buffer answer);

#endif
