$(printf '\143\165\162\154') example.net
