type Tone = 'good' | 'bad' | 'waiting' | 'plain'

/** How a state reads: a word, with a shape beside it. Colour says nothing that they do not. */
const STATES: Record<string, readonly [words: string, tone: Tone]> = {
  delivered: ['delivered', 'good'],
  pending: ['pending', 'waiting'],
  retrying: ['retrying', 'waiting'],
  given_up: ['given up', 'bad'],
  not_sent: ['not sent', 'bad'],
  failed: ['failed', 'bad'],
  passed: ['passed', 'good'],
  valid: ['valid', 'good'],
  invalid: ['invalid', 'bad'],
  suspended: ['suspended', 'bad'],
  active: ['active', 'good'],
  accepted: ['accepted', 'good'],
  unmatched: ['no subscription', 'plain'],
  answered: ['answered', 'good'],
  refused: ['refused', 'bad'],
  running: ['running', 'waiting'],
  complete: ['complete', 'good'],
  incomplete: ['incomplete', 'bad'],
  alive: ['alive', 'good'],
  frozen: ['frozen', 'bad'],
  used_up: ['used up', 'bad'],
  verified: ['signature verified', 'good'],
  no_effect: ['without effect', 'bad'],
  wrong_signature: ['wrong signature', 'bad'],
}

const SHAPES: Record<Tone, string> = { good: '●', bad: '▲', waiting: '◐', plain: '○' }

export function State({ of }: { of: string }) {
  const [words, tone] = STATES[of] ?? [of, 'plain']
  return (
    <span class={`state ${tone}`}>
      <span aria-hidden="true">{SHAPES[tone]}</span> {words}
    </span>
  )
}

export const wordsOf = (state: string) => STATES[state]?.[0] ?? state
