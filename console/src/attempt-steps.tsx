import type { Attempt } from './server-types.ts'

interface Step {
  words: string
  fromMs: number
  toMs: number
}

/** What an attempt took its time for, in order. The last step may be the one that it did not end. */
function stepsOf({ timing, latency_ms, outcome }: Attempt): Step[] {
  if (!timing) return []
  const { resolved_ms, connected_ms, secured_ms, answered_ms } = timing
  const ends = [
    ['resolve the name', resolved_ms],
    ['connect', connected_ms],
    ['TLS', secured_ms],
    ['wait for the answer', answered_ms],
  ] as const
  const steps: Step[] = []
  let fromMs = 0
  for (const [words, toMs] of ends) {
    if (toMs === null) continue
    steps.push({ words, fromMs, toMs })
    fromMs = toMs
  }
  if (answered_ms !== null) steps.push({ words: 'read it', fromMs, toMs: latency_ms })
  else if (outcome === 'failed') steps.push({ words: 'until it failed', fromMs, toMs: latency_ms })
  return steps
}

/** The time of an attempt as a line of its steps, and in words. */
export function AttemptSteps({ attempt }: { attempt: Attempt }) {
  const steps = stepsOf(attempt)
  if (steps.length === 0) return null
  const whole = Math.max(attempt.latency_ms, 1)
  const percent = (ms: number) => `${(100 * ms) / whole}%`
  return (
    <>
      <svg class="steps" aria-hidden="true">
        {steps.map(({ words, fromMs, toMs }, place) => (
          <rect key={words} class={`step${place % 2}`} x={percent(fromMs)} width={percent(Math.max(toMs - fromMs, 0))} height="100%" />
        ))}
      </svg>
      <p class="soft">{steps.map(({ words, fromMs, toMs }) => `${words} ${Math.max(toMs - fromMs, 0)} ms`).join(' · ')}</p>
    </>
  )
}
