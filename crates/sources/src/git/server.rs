//! A conversation with a git server, one request at a time: which references it has, and objects by their ids.
//!
//! The fetch of gitoxide's upper layer takes references and everything below them. This one names objects, so that a
//! commit can come without file contents, and single files later.

use std::fs::{self, File};
use std::io;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use gix::ObjectId;
use gix::bstr::BString;
use gix::odb::pack::Bundle;
use gix::odb::pack::bundle::write::Options as PackOptions;
use gix::protocol::command::Feature;
use gix::protocol::fetch::negotiate::{Action, Round, one_round};
use gix::protocol::fetch::{Arguments, Context, Negotiate, Options, Response, Shallow, Tags};
use gix::protocol::handshake::Ref;
use gix::protocol::ls_refs::RefPrefixes;
use gix::protocol::transport::client::blocking_io::Transport;
use gix::protocol::transport::{Protocol, Service};
use gix::protocol::{Handshake, LsRefsCommand, SendFlushOnDrop};
use prowess_core::SourceError;

use super::checkout::TREE_BYTES;
use super::connect::{connect, explain};
use super::progress::Watcher;
use super::ssh::Client;

/// Which objects come with the wanted ones.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Contents {
    /// Everything.
    All,
    /// Everything but the contents of files.
    WithoutFiles,
}

/// A conversation with a server.
pub(super) struct Conversation<'p> {
    // Dropped before the client: it says goodbye through it.
    transport: SendFlushOnDrop<Box<dyn Transport + Send>>,
    client: Option<Client>,
    handshake: Handshake,
    progress: &'p Watcher,
}

impl<'p> Conversation<'p> {
    /// Connects and shakes hands.
    pub(super) fn start(url: &gix::Url, progress: &'p Watcher) -> Result<Self, SourceError> {
        let (transport, mut client) = connect(url)?;
        let mut transport = SendFlushOnDrop::new(transport, false);
        // No user is asked for a password, and no helper of git is started.
        let no_credentials = |_| Ok(None);
        let handshake = gix::protocol::handshake(
            &mut transport.inner,
            Service::UploadPack,
            no_credentials,
            Vec::new(),
            &mut progress.item(),
        )
        .map_err(|error| explain(&mut client, &error))?;
        Ok(Self {
            transport,
            client,
            handshake,
            progress,
        })
    }

    /// Whether the server sends trees without the contents of files, and single files later. Older protocols
    /// answer only for objects that a reference names.
    pub(super) fn can_filter(&self) -> bool {
        let fetch = self.handshake.capabilities.capability("fetch");
        self.handshake.server_protocol_version == Protocol::V2
            && fetch.and_then(|fetch| fetch.supports("filter")) == Some(true)
    }

    /// Whether the server hands out every commit that a reference leads to; older protocols only those that one names.
    pub(super) fn hands_out_any_commit(&self) -> bool {
        self.handshake.server_protocol_version == Protocol::V2
    }

    /// The references that begin with one of the prefixes; a server of an older protocol tells all of them.
    pub(super) fn references(&mut self, prefixes: &[String]) -> Result<Vec<Ref>, SourceError> {
        if let Some(references) = &self.handshake.refs {
            return Ok(references.clone());
        }
        let mut wanted = RefPrefixes::new();
        wanted.extend(prefixes.iter().map(|prefix| BString::from(prefix.as_str())));
        LsRefsCommand::new(Some(wanted), &self.handshake.capabilities, agent())
            .invoke_blocking(&mut self.transport.inner, &mut self.progress.item(), false)
            .map_err(|error| explain(&mut self.client, &error))
    }

    /// Fetches objects into a directory, as a pack with its index.
    pub(super) fn fetch(
        &mut self,
        wanted: &[ObjectId],
        contents: Contents,
        depth: Option<NonZeroU32>,
        directory: &Path,
    ) -> Result<(), SourceError> {
        let shallow = depth.map_or(Shallow::NoChange, Shallow::DepthAtRemote);
        let context = Context {
            handshake: &mut self.handshake,
            transport: &mut self.transport.inner,
            user_agent: agent(),
            trace_packetlines: false,
        };
        let options = Options {
            // What is missing is seen by its absence.
            shallow_file: directory.join("shallow"),
            shallow: &shallow,
            tags: Tags::None,
            reject_shallow_remote: false,
        };
        let fetched = gix::protocol::fetch(
            &mut Wanted { wanted, contents },
            |pack, progress, interrupt| {
                let mut pack = io::BufReader::new(Bounded(pack, TREE_BYTES));
                let options = PackOptions {
                    alloc_limit_bytes: usize::try_from(TREE_BYTES).ok(),
                    ..PackOptions::default()
                };
                let bases = None::<gix::OdbHandle>;
                let hash = gix::hash::Kind::Sha1;
                Bundle::write_to_directory(
                    &mut pack,
                    Some(directory),
                    progress,
                    interrupt,
                    bases,
                    hash,
                    options,
                )?;
                Ok(true)
            },
            self.progress.item(),
            &AtomicBool::new(false),
            context,
            options,
        );
        match fetched {
            Ok(_) => Ok(()),
            Err(error) => Err(explain(&mut self.client, &error)),
        }
    }
}

/// The names under which a server knows the client.
fn agent() -> Feature {
    let name = concat!("prowess/", env!("CARGO_PKG_VERSION"));
    ("agent", Some(gix::protocol::agent(name)))
}

/// Names objects, and no other that is there already: the server then sends whole objects, never differences.
struct Wanted<'a> {
    wanted: &'a [ObjectId],
    contents: Contents,
}

impl Negotiate for Wanted<'_> {
    fn mark_complete_and_common_ref(&mut self) -> gix::Result<Action> {
        Ok(Action::MustNegotiate {
            remote_ref_target_known: Vec::new(),
        })
    }

    fn add_wants(&mut self, arguments: &mut Arguments, _: &[bool]) -> bool {
        if self.contents == Contents::WithoutFiles && arguments.can_use_filter() {
            arguments.filter("blob:none");
        }
        for id in self.wanted {
            arguments.want(id);
        }
        true
    }

    fn one_round(
        &mut self,
        _: &mut one_round::State,
        _: &mut Arguments,
        _: Option<&Response>,
    ) -> gix::Result<(Round, bool)> {
        let round = Round {
            haves_sent: 0,
            in_vain: 0,
            haves_to_send: 0,
            previous_response_had_at_least_one_in_common: false,
        };
        Ok((round, true))
    }
}

/// A reader that fails after so many bytes.
struct Bounded<R>(R, u64);

impl<R: io::Read> io::Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(buffer)?;
        self.1 = self
            .1
            .checked_sub(read as u64)
            .ok_or_else(|| io::Error::other("the server sends more than 512 MiB"))?;
        Ok(read)
    }
}

/// Moves the pack in a directory into a repository. The index comes last: without it a pack is not there.
pub(super) fn add_pack(directory: &Path, repository: &Path) -> io::Result<()> {
    let packs = repository.join("objects").join("pack");
    fs::create_dir_all(&packs)?;
    let mut files: Vec<PathBuf> = fs::read_dir(directory)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    files.sort_by_key(|path| path.extension().is_some_and(|it| it == "idx"));
    for path in files {
        if let Some(name) = path.file_name()
            && path
                .extension()
                .is_some_and(|it| it == "pack" || it == "idx")
        {
            File::open(&path)?.sync_all()?;
            fs::rename(&path, packs.join(name))?;
        }
    }
    Ok(())
}
