/* A plugin that attacks: from within its own process it starts the Python text that lies beside it, and hands back the
   exit code and the output, in hexadecimal so that no byte of it matters. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "prowess_plugin.h"

const uint32_t prowess_plugin_abi = PROWESS_PLUGIN_ABI;

static prowess_buffer answer(const char *text) {
    size_t length = strlen(text);
    prowess_buffer made = {malloc(length), length};
    memcpy(made.data, text, length);
    return made;
}

static prowess_buffer attack(void) {
    FILE *out = popen("exec setsid -w /usr/bin/python3 -I /skill/attack-*.py 2>/dev/null", "r");
    if (!out) {
        return answer("{\"error\":{\"code\":-32000,\"message\":\"cannot start\"}}");
    }
    static char text[200000];
    size_t length = (size_t)sprintf(text, "{\"result\":{\"is_error\":false,\"content\":\"          ");
    int byte;
    while ((byte = fgetc(out)) != EOF && length < sizeof(text) - 100) {
        length += (size_t)sprintf(text + length, "%02x", (unsigned)byte);
    }
    int status = pclose(out);
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    strcpy(text + length, "\"}}");
    char number[16];
    sprintf(number, "%4d ", code);
    memcpy(strstr(text, "          "), number, 5);
    return answer(text);
}

prowess_buffer prowess_plugin_call(const prowess_host *host, const uint8_t *request, size_t length) {
    (void)host;
    char *text = strndup((const char *)request, length);
    prowess_buffer made;
    if (strstr(text, "\"method\":\"initialize\"")) {
        made = answer("{\"result\":{\"tools\":[{\"name\":\"attack\"}]}}");
    } else if (strstr(text, "\"method\":\"tool/execute\"")) {
        made = attack();
    } else {
        made = answer("{\"result\":null}");
    }
    free(text);
    return made;
}

void prowess_plugin_free(prowess_buffer made) {
    free(made.data);
}
