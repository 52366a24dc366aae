import { type Flavour, flavours, nameOf } from '../databases.ts'
import type { Figure, Line } from '../figure.ts'
import { type Healthy, measureIsolation, WEBHOOKS } from '../isolation/measure-isolation.ts'
import { median } from '../median.ts'
import { inWords, withSpread } from '../numbers.ts'
import { STEADY } from '../steady/steady.ts'

const MOST_RATIO = 1.5

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
const p99Of = (looks: readonly Healthy[]) => looks.map(({ p99Ms }) => p99Ms)
const shown = (values: readonly number[]) => `${withSpread(median(values), values)} ms`
const arrivals = (looks: readonly Healthy[]) =>
  `${inWords(sum(looks.map(({ arrived }) => arrived)))} of ${inWords(sum(looks.map(({ sent }) => sent)))}`

function linesOf(flavour: Flavour, clean: Healthy[], troubled: Healthy[]): Line[] {
  const ratio = median(p99Of(troubled)) / median(p99Of(clean))
  const what = (words: string) => `Healthy events beside callbacks that misbehave: ${words}, ${nameOf[flavour]}`
  return [
    {
      what: what('accept to receipt p99'),
      measured: shown(p99Of(troubled)),
      limit: `${shown(p99Of(clean))} when none misbehaves`,
      ratio,
      aim: `ratio ≤ ${MOST_RATIO}`,
      isMet: ratio <= MOST_RATIO,
    },
    {
      what: what('arrived'),
      measured: arrivals(troubled),
      limit: `${arrivals(clean)} when none misbehaves`,
      aim: 'all',
      isMet: troubled.every(({ arrived, sent }) => arrived === sent),
    },
  ]
}

export const isolation: Figure = {
  name: 'isolation',
  limit: `${inWords(STEADY.perSecond)} events/s evenly over ${inWords(WEBHOOKS)} webhooks as in \`steady\`, each run on a fresh Postern with the default retry plan and deadline: once with all callbacks well, once with 1 % that never answer, 5 % that answer 500 and one that answers one byte a second. Retries are part of the load.`,
  async measure(run) {
    const lines: Line[] = []
    for (const flavour of flavours) {
      const { clean, troubled } = await measureIsolation(flavour, run)
      lines.push(...linesOf(flavour, clean, troubled))
    }
    return lines
  },
}
