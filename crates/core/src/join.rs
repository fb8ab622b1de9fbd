//! Waiting for several futures at once.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

/// Polls all of `futures` until each is ready; the results are in their order.
pub(crate) async fn join_all<F: Future>(futures: impl Iterator<Item = F>) -> Vec<F::Output> {
    enum Slot<F: Future> {
        Pending(Pin<Box<F>>),
        Ready(F::Output),
    }
    let mut slots: Vec<Slot<F>> = futures.map(Box::pin).map(Slot::Pending).collect();
    poll_fn(|context| {
        let mut all = Poll::Ready(());
        for slot in &mut slots {
            if let Slot::Pending(future) = slot {
                match future.as_mut().poll(context) {
                    Poll::Ready(output) => *slot = Slot::Ready(output),
                    Poll::Pending => all = Poll::Pending,
                }
            }
        }
        all
    })
    .await;
    let outputs = slots.into_iter().filter_map(|slot| match slot {
        Slot::Ready(output) => Some(output),
        Slot::Pending(_) => None,
    });
    outputs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_and_pending_futures_are_polled_again() {
        let later = |polls: usize| {
            let mut left = polls;
            poll_fn(move |context| {
                if left == 0 {
                    return Poll::Ready(polls);
                }
                left -= 1;
                context.waker().wake_by_ref();
                Poll::Pending
            })
        };
        let joined = pollster::block_on(join_all([3, 0, 1].into_iter().map(later)));
        assert_eq!(joined, [3, 0, 1]);
        assert!(pollster::block_on(join_all([later(0)].into_iter().take(0))).is_empty());
    }
}
