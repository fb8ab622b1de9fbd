//! The requests of chats.

use super::operation::{Body, Content, Operation};
use super::table::READ;
use crate::scope::Scope;

const CHAT: Operation = Operation {
    tag: "chats",
    scope: Some(Scope::Chat),
    ..READ
};
const POST: Operation = Operation {
    method: "post",
    ..CHAT
};

const EVENTS: Content = Content::Text("text/event-stream");

/// The requests of chats.
pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        path: "/api/model",
        id: "getModel",
        summary: "Names the model that answers",
        responses: &[(200, Content::Json("Model"))],
        ..CHAT
    },
    Operation {
        path: "/api/chats",
        id: "listChats",
        summary: "Lists the saved chats, newest first",
        parameters: &["limit", "before"],
        responses: &[(200, Content::Json("ChatList"))],
        problems: &[400],
        ..CHAT
    },
    Operation {
        path: "/api/chats",
        id: "createChat",
        summary: "Creates a chat",
        body: Body::Json("NewChat"),
        responses: &[(201, Content::Json("Chat"))],
        problems: &[404],
        ..POST
    },
    Operation {
        path: "/api/chats/{id}",
        id: "getChat",
        summary: "Returns a chat with its messages",
        responses: &[(200, Content::Json("Chat"))],
        ..CHAT
    },
    Operation {
        method: "patch",
        path: "/api/chats/{id}",
        id: "renameChat",
        summary: "Changes the title of a chat",
        body: Body::Json("ChatTitle"),
        responses: &[(200, Content::Json("Chat"))],
        ..CHAT
    },
    Operation {
        method: "delete",
        path: "/api/chats/{id}",
        id: "deleteChat",
        summary: "Deletes a chat and cancels its turn",
        responses: &[(204, Content::None)],
        ..CHAT
    },
    Operation {
        path: "/api/chats/{id}/fork",
        id: "forkChat",
        summary: "Copies a chat",
        responses: &[(201, Content::Json("Chat"))],
        ..POST
    },
    Operation {
        path: "/api/chats/{id}/undo",
        id: "undoTurn",
        summary: "Removes the last turn",
        responses: &[(200, Content::Json("UndoneTurn"))],
        problems: &[409],
        ..POST
    },
    Operation {
        path: "/api/chats/{id}/messages",
        id: "sendMessage",
        summary: "Starts a turn; with `Accept: text/event-stream` the response is its events",
        body: Body::Json("Message"),
        responses: &[(200, EVENTS), (202, Content::Json("StartedTurn"))],
        problems: &[409],
        ..POST
    },
    Operation {
        path: "/api/chats/{id}/cancel",
        id: "cancelTurn",
        summary: "Cancels the running turn",
        responses: &[(204, Content::None)],
        ..POST
    },
    Operation {
        path: "/api/chats/{id}/events",
        id: "followChat",
        summary: "Streams the events of a chat",
        parameters: &["after", "last-event-id"],
        responses: &[(200, EVENTS)],
        ..CHAT
    },
    Operation {
        path: "/api/chats/{id}/questions/{question}",
        id: "answerQuestion",
        summary: "Answers a question of a skill or a command; any answer but `deny` also needs the scope `approve`",
        body: Body::Json("Answer"),
        responses: &[(204, Content::None)],
        problems: &[409],
        ..POST
    },
    Operation {
        path: "/api/chats/{id}/ag-ui",
        id: "runAgUi",
        summary: "Starts a turn and streams it in the form of the AG-UI protocol",
        body: Body::Json("RunAgentInput"),
        responses: &[(200, EVENTS)],
        problems: &[409],
        ..POST
    },
];
