import assert from 'node:assert/strict'
import { createRequire } from 'node:module'

type Labels = Record<string, string>

interface ParsedFamily {
  name: string
  type: string
  metrics: { value: string; labels?: Labels }[]
}

const parse = createRequire(import.meta.url)('parse-prometheus-text-format') as (text: string) => ParsedFamily[]

interface Histogram {
  count: number
  sum: number
  buckets: [le: number, count: number][]
}

/** The metrics of a server as Prometheus reads them. */
export interface Scrape {
  text: string
  /** The type of each family. */
  types: Record<string, string>
  /** A sample with just these labels; undefined when there is none. */
  value(name: string, labels?: Labels): number | undefined
  /** The samples of a counter or gauge by one of its labels, summed over the others. */
  by(name: string, label: string): Record<string, number>
  histogram(name: string, labels?: Labels): Histogram
}

/** The text format, version 0.0.4: a parser that is lenient would hide a line that Prometheus refuses. It reads `Nan` in any case. */
const LINE =
  /^(# (HELP|TYPE) [a-zA-Z_:][\w:]* .+|[a-zA-Z_:][\w:]*(\{[a-zA-Z_]\w*="[^"\\\n]*"(,[a-zA-Z_]\w*="[^"\\\n]*")*\})? (-?\d+(\.\d+)?(e[+-]?\d+)?|Nan|[+-]Inf))?$/

const keyOf = (labels: Labels = {}) => JSON.stringify(Object.entries(labels).sort())

/** Without its comments each line is a sample of its own: the parser leaves out the labels of a histogram otherwise. */
function samplesOf(text: string): Map<string, ParsedFamily['metrics']> {
  const byName = Map.groupBy(parse(text.replace(/^#.*\n/gm, '')), ({ name }) => name)
  return new Map([...byName].map(([name, families]) => [name, families.flatMap(({ metrics }) => metrics)]))
}

/** Reads `GET /metrics`, without a token. */
export async function scrape(origin: string): Promise<Scrape> {
  const response = await fetch(`${origin}/metrics`)
  const text = await response.text()
  assert.equal(response.status, 200, text)
  assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
  for (const line of text.split('\n')) assert.match(line, LINE)
  assert.ok(text.endsWith('\n'))
  assert.doesNotMatch(text, /^postern.* Nan$/m)
  const samples = samplesOf(text)

  const value = (name: string, labels?: Labels) => {
    const found = samples.get(name)?.find((sample) => keyOf(sample.labels) === keyOf(labels))
    return found && Number(found.value)
  }

  const buckets = (name: string, labels: Labels) =>
    (samples.get(`${name}_bucket`) ?? []).flatMap(({ labels: { le = '', ...others } = {}, value: count }): Histogram['buckets'] =>
      keyOf(others) === keyOf(labels) ? [[le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le), Number(count)]] : [],
    )

  return {
    text,
    types: Object.fromEntries(parse(text).map(({ name, type }) => [name, type])),
    value,
    by(name, label) {
      const sums: Record<string, number> = {}
      for (const { labels = {}, value: count } of samples.get(name) ?? [])
        sums[labels[label]!] = (sums[labels[label]!] ?? 0) + Number(count)
      return sums
    },
    histogram: (name, labels = {}) => ({
      count: value(`${name}_count`, labels) ?? 0,
      sum: value(`${name}_sum`, labels) ?? 0,
      buckets: buckets(name, labels),
    }),
  }
}
