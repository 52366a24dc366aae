import type { Mutant } from './find-mutants.ts'

/**
 * Mutants that no test can tell from the original, or need not, each with the reason: by file, change and line of code. Anything else that
 * survives is a missing test.
 */
export const survivors: Readonly<Record<string, string>> = {
  'server/src/delivery/retry-plan.ts: 0 → 1, in: return nowMs + Math.max(jittered, retryAfter ?? 0)':
    'A retry is a millisecond later at least, so a missing Retry-After may count as 0 or 1.',
  'server/src/delivery/lanes/lane.ts: step < KINDS.length: < → <=, in: for (let step = 0; step < KINDS.length; step += 1) {':
    'One step more looks at the first kind again, which was empty, and ends with the same error.',
  "server/src/delivery/lanes/lanes.ts: without stopped: [], in: paused: ['running', 'stopped'],":
    'Lanes that have stopped never change: `change` does not ask for a transition.',
  'server/src/access/logins.ts: 0 → 1, in: const slotOf = (slots: number, ...parts: (string | number)[]) => sha256(JSON.stringify(parts)).readUInt32BE(0) % slots':
    'Any four bytes of the hash choose a slot as evenly.',
  'server/src/access/oauth1/verify.ts: 16 → 17, in: .subarray(0, 16)': 'The key of a nonce must be unique; a byte more changes nothing.',
  'server/src/delivery/replay/deliver-window.ts: 100 → 101, in: const PAGE = 100':
    'How many events are read at once is nobody’s guarantee.',
  'server/src/delivery/send/sender.ts: clock.elapsed() - found.openedMs < MAX_CONNECTION_AGE_MS: < → <=, in: if (clock.elapsed() - found.openedMs < MAX_CONNECTION_AGE_MS) return found':
    'Elapsed time is a fraction: it never equals the limit.',
  'server/src/endpoints/webhooks/start-replay.ts: 12 → 13, in: const [year, month, day, hour, minute] = [text.slice(0, 4), text.slice(4, 6), text.slice(6, 8), text.slice(8, 10), text.slice(10, 12)]':
    'A text of 13 characters is no minute either way.',
  "server/src/endpoints/ads/account-history/list-account-history.ts: true → false, in: const BY_NUMBER = { sort: [{ field: 'number', descending: true }] }":
    'A cursor has the field of the order, and no direction: the store of the history sorts.',
  'server/src/endpoints/posts/count-posts.ts: 1 → 2, in: const { max_results: _, pagination_token, ...between } = postPageParams({ max: 1 })':
    'A count takes no max_results: the parameter with this bound is left out.',
  'server/src/endpoints/posts/count-posts.ts: 1000 → 1001, in: const BUCKETS_OF_A_PIECE = 1000':
    'A piece has some 1,000 buckets; a test bounds its bytes.',
  'server/src/endpoints/ads/audiences/users-batch/read-batch.ts: 3 → 4, in: const MOST_CONTAINERS = 3 * MAX_OPERATIONS + MAX_IDENTIFIERS * (1 + Object.keys(spellings).length)':
    'An upper bound that no body reaches which other limits let in.',
  'server/src/delivery/publish.ts: 8 → 9, in: const KEYWORD_COST = 8': 'How long a slice of matching is at most is an estimate.',
  'server/src/delivery/publish.ts: 0 → 1, in: const matched = await mapInSlices(events, matchedBy, (_, index) => KEYWORD_COST * (events[index]!.text?.length ?? 0), giveWay)':
    'How long a slice of matching is at most is an estimate.',
  'server/src/delivery/publish.ts: events.length > 1: > → >=, in: if (events.length > 1) await giveWay?.()':
    'One event alone may give way too: it is a turn more, and nothing else.',
  'server/src/delivery/publish.ts: 1 → 2, in: if (events.length > 1) await giveWay?.()':
    'A batch of two is appended in the turn of its matching: it is as short as one event.',
  'server/src/api/routes.ts: bodyLimitBytes > USUAL_BODY_BYTES: > → >=, in: const takesLarge = endpoints.some(({ bodyLimitBytes }) => bodyLimitBytes > USUAL_BODY_BYTES)':
    'Whoever is refused before a body of the usual size is read is refused after it as well.',
  'server/src/lib/fair-turns.ts: 0 → 1, in: if (turn.left === 0) for (let asked = 0; asked < Math.min(waitingCount, AT_ONCE); asked += 1) askForTurn()':
    'The next turn is asked for a piece earlier, and finds nothing at its end.',
  'server/src/lib/fair-turns.ts: turn.left === 0: === → !==, in: if (turn.left === 0) for (let asked = 0; asked < Math.min(waitingCount, AT_ONCE); asked += 1) askForTurn()':
    'The next turn is asked for a piece earlier, and finds nothing at its end.',
  'server/src/api/declare/written-answer.ts: 8 → 9, in: const SHORT_CHARACTERS = 8 * 1024':
    'From which length an answer is joined as bytes is nobody’s guarantee.',
  'server/src/api/declare/written-answer.ts: 1024 → 1025, in: const SHORT_CHARACTERS = 8 * 1024':
    'From which length an answer is joined as bytes is nobody’s guarantee.',
  'server/src/api/declare/written-answer.ts: text.length > SHORT_CHARACTERS: > → >=, in: if (text.length > SHORT_CHARACTERS) return joinBytes(text, pieces, giveWay)':
    'From which length an answer is joined as bytes is nobody’s guarantee.',
  'server/src/api/records/list-endpoint.ts: 256 → 257, in: const AT_ONCE = 256': 'How many records are read at once is nobody’s guarantee.',
}

/** The name of a mutant with its line of code: other lines of the file may have the same change. */
const lineNameOf = ({ file, change, source }: Mutant): string => `${file}: ${change}, in: ${source}`

/** Why a mutant may survive; undefined if it must not. */
export const reasonFor = (mutant: Mutant): string | undefined => survivors[lineNameOf(mutant)]
