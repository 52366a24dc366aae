import assert from 'node:assert/strict'
import { createRequire } from 'node:module'

interface ParsedFamily {
  name: string
  type: string
  help: string
  metrics: { value?: string; labels?: Record<string, string>; buckets?: Record<string, string>; count?: string; sum?: string }[]
}

type Labels = Record<string, string>

const parse = createRequire(import.meta.url)('parse-prometheus-text-format') as (text: string) => ParsedFamily[]

/** The metrics of a server as Prometheus reads them. */
export interface Scrape {
  text: string
  names: string[]
  types: Record<string, string>
  /** The value of a counter or gauge; undefined when there is no sample with just these labels. */
  value(name: string, labels?: Labels): number | undefined
  /** All values of a counter or gauge by one of its labels, summed over the others. */
  by(name: string, label: string): Record<string, number>
  /** How many observations a histogram has, in all and up to each bound. */
  histogram(name: string, labels?: Labels): { count: number; sum: number; buckets: [le: number, count: number][] } | undefined
}

/** The exposition format, version 0.0.4: a parser that is lenient would hide a line that Prometheus refuses. */
const LINE =
  /^(# (HELP|TYPE) [a-zA-Z_:][\w:]* .+|[a-zA-Z_:][\w:]*(\{[a-zA-Z_]\w*="[^"\\\n]*"(,[a-zA-Z_]\w*="[^"\\\n]*")*\})? (-?\d+(\.\d+)?(e[+-]?\d+)?|NaN|[+-]Inf))?$/

const sorted = (labels: Labels = {}) => JSON.stringify(Object.entries(labels).sort())

/** Reads `GET /metrics`, without a token. */
export async function scrape(origin: string): Promise<Scrape> {
  const response = await fetch(`${origin}/metrics`)
  const text = await response.text()
  assert.equal(response.status, 200, text)
  assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
  for (const line of text.split('\n')) assert.match(line, LINE)
  assert.ok(text.endsWith('\n'))
  const families = parse(text)
  const samplesOf = (name: string) => families.find((family) => family.name === name)?.metrics ?? []
  const find = (name: string, labels?: Labels) => samplesOf(name).find((sample) => sorted(sample.labels) === sorted(labels))
  return {
    text,
    names: families.map(({ name }) => name),
    types: Object.fromEntries(families.map(({ name, type }) => [name, type])),
    value(name, labels) {
      const value = find(name, labels)?.value
      return value === undefined ? undefined : Number(value)
    },
    by(name, label) {
      const sums: Record<string, number> = {}
      for (const { labels = {}, value } of samplesOf(name)) sums[labels[label]!] = (sums[labels[label]!] ?? 0) + Number(value)
      return sums
    },
    histogram(name, labels) {
      const found = find(name, labels)
      if (!found) return undefined
      const buckets = Object.entries(found.buckets ?? {}).map(([le, count]): [number, number] => [
        le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le),
        Number(count),
      ])
      return { count: Number(found.count), sum: Number(found.sum), buckets: buckets.sort(([one], [other]) => one - other) }
    },
  }
}
