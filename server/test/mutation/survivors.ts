/** Mutants that no test can tell from the original, or need not, each with the reason. Anything else that survives is a missing test. */
export const survivors: Readonly<Record<string, string>> = {
  'server/src/delivery/retry-plan.ts: 0 → 1': 'A retry is a millisecond later at least, so a missing Retry-After may count as 0 or 1.',
  'server/src/delivery/lanes/lane.ts: step < KINDS.length: < → <=':
    'One step more looks at the first kind again, which was empty, and ends with the same error.',
  'server/src/delivery/lanes/lanes.ts: without stopped: []':
    'Lanes that have stopped never change: `change` does not ask for a transition.',
  'server/src/access/logins.ts: 0 → 1': 'Any four bytes of the hash choose a slot as evenly.',
  'server/src/access/oauth1/verify.ts: 16 → 17': 'The key of a nonce must be unique; a byte more changes nothing.',
  'server/src/delivery/replay/deliver-window.ts: 100 → 101': 'How many events are read at once is nobody’s guarantee.',
  'server/src/delivery/send/sender.ts: clock.elapsed() - found.openedMs < MAX_CONNECTION_AGE_MS: < → <=':
    'Elapsed time is a fraction: it never equals the limit.',
  'server/src/endpoints/webhooks/start-replay.ts: 12 → 13': 'A text of 13 characters is no minute either way.',
  'server/src/endpoints/ads/account-history/list-account-history.ts: true → false':
    'A cursor has the field of the order, and no direction: the store of the history sorts.',
}
