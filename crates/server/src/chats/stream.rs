//! Streams of events.

use std::convert::Infallible;

use axum::body::{Body, Bytes};
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream::unfold;
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::sleep;

use super::ag_ui::Translator;
use super::command::StartedTurn;
use super::event::{ChatEvent, frame};
use super::live_table::Lease;
use super::logged_event::LoggedEvent;
use super::service::Chats;
use crate::connections::StreamMark;
use crate::limits::{HEARTBEAT, STREAM_PART};

/// The form of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Our own.
    Prowess,
    /// That of the AG-UI protocol.
    AgUi,
}

/// Where a stream starts and ends.
pub(crate) enum Extent {
    /// From the event with this id on; from the running turn or now on without one.
    From(Option<String>),
    /// One turn.
    Turn(StartedTurn),
}

/// A client that reads the events of a chat.
struct Reader {
    chats: Chats,
    chat: ReadChat,
    /// The last event that was sent; none if events are missing.
    place: Option<u64>,
    /// Whether the stream ends with a turn.
    ends_with_turn: bool,
    translator: Option<Translator>,
    changed: watch::Receiver<u64>,
    closed: watch::Receiver<bool>,
    mark: StreamMark,
    is_over: bool,
    _permit: OwnedSemaphorePermit,
}

/// Counts a reader of a chat.
struct ReadChat(Lease);

impl Drop for ReadChat {
    fn drop(&mut self) {
        self.0.remove_reader();
    }
}

/// A response that streams events.
pub(crate) fn stream(
    chats: &Chats,
    lease: Lease,
    extent: &Extent,
    form: Form,
    permit: OwnedSemaphorePermit,
) -> Response {
    let run = chats.run();
    let changed = lease.changes();
    let (place, ends_with_turn) = match extent {
        Extent::From(None) => (Some(lease.view().last_event), false),
        Extent::From(Some(id)) => (run.number(id), false),
        Extent::Turn(turn) => (Some(turn.after), true),
    };
    let mut translator = match form {
        Form::Prowess => None,
        Form::AgUi => Some(Translator::new(run.clone(), lease.id.to_string())),
    };
    // The state of a turn that a client has seen in part.
    if let (Some(translator), Some(place)) = (&mut translator, place) {
        for event in lease.turn_until(place) {
            translator.translate(&event);
        }
    }
    lease.add_reader();
    let mark = StreamMark::default();
    let reader = Reader {
        chat: ReadChat(lease),
        place,
        ends_with_turn,
        translator,
        changed,
        closed: chats.closed(),
        mark: mark.clone(),
        is_over: false,
        chats: chats.clone(),
        _permit: permit,
    };
    // The first line lets a client know that the stream is open.
    let first = Some(Bytes::from_static(b"retry: 1000\n\n"));
    let parts = unfold((reader, first), |(mut reader, first)| async {
        let part = match first {
            Some(first) => first,
            None => reader.next().await?,
        };
        reader.mark.touch();
        Some((Ok::<_, Infallible>(part), (reader, None)))
    });
    let media = match form {
        Form::Prowess => "text/event-stream",
        Form::AgUi => "text/event-stream; profile=ag-ui",
    };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(media)),
        // A proxy must not collect events.
        (
            HeaderName::from_static("x-accel-buffering"),
            HeaderValue::from_static("no"),
        ),
    ];
    let mut response = (headers, Body::from_stream(parts)).into_response();
    response.extensions_mut().insert(mark);
    response
}

impl Reader {
    /// The next part of the stream; none at its end.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if self.is_over {
                return None;
            }
            let is_closed = *self.closed.borrow();
            self.changed.borrow_and_update();
            let chat = &self.chat.0;
            let events = self.place.map(|place| chat.after(place, STREAM_PART));
            match events {
                Some(Ok(events)) if events.is_empty() => {}
                Some(Ok(events)) => {
                    let part = self.write(&events);
                    if !part.is_empty() {
                        return Some(part);
                    }
                    continue;
                }
                Some(Err(_)) | None => {
                    self.is_over = true;
                    return Some(self.reset());
                }
            }
            if is_closed {
                return None;
            }
            tokio::select! {
                _ = self.changed.changed() => {}
                _ = self.closed.changed() => {}
                () = sleep(HEARTBEAT) => return Some(Bytes::from_static(b":\n\n")),
            }
        }
    }

    /// Writes events, up to the end of the stream.
    fn write(&mut self, events: &[LoggedEvent]) -> Bytes {
        let mut part = Vec::new();
        for event in events {
            self.place = Some(event.number);
            match &mut self.translator {
                None => part.extend_from_slice(&event.frame),
                Some(translator) => {
                    let translated = translator.translate(event);
                    let last = translated.len().saturating_sub(1);
                    for (index, value) in translated.iter().enumerate() {
                        // A client continues after all of them.
                        let id = (index == last).then(|| self.chats.run().id(event.number));
                        part.extend_from_slice(&frame(id.as_deref(), None, value));
                    }
                }
            }
            let is_last = match *event.event {
                ChatEvent::ChatDeleted => true,
                ChatEvent::TurnFinished { .. } => self.ends_with_turn,
                _ => false,
            };
            if is_last {
                self.is_over = true;
                break;
            }
        }
        part.into()
    }

    /// Says that events are missing.
    fn reset(&self) -> Bytes {
        let reason = "events are missing; fetch the chat and continue after its `last_event`";
        match &self.translator {
            None => frame(None, Some("reset"), &ChatEvent::Reset { reason }.json(None)),
            Some(_) => frame(None, None, &Translator::reset(reason)),
        }
    }
}
