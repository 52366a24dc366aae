import { createRequire } from 'node:module'
import { domainToASCII } from 'node:url'
import { lazy } from '../lazy.ts'
import { CYRILLIC, DIRECTIONS, INVALID, LATIN, PUNCTUATION, SPACES } from './characters.ts'

interface TopLevelDomains {
  ascii: Set<string>
  /** In Unicode, not in Punycode. */
  unicode: Set<string>
  longestUnicode: number
}

/** The list is read with the first text that may contain a domain: a start does not need it. */
const topLevelDomains = lazy((): TopLevelDomains => {
  const all = createRequire(import.meta.url)('tlds') as string[]
  const unicode = all.filter((name) => /[^a-z]/.test(name))
  return {
    ascii: new Set(all.filter((name) => /^[a-z]+$/.test(name))),
    unicode: new Set(unicode),
    longestUnicode: Math.max(...unicode.map(({ length }) => length)),
  }
})

const lengthInUnicode = (label: string, { unicode, longestUnicode }: TopLevelDomains): number => {
  for (let length = Math.min(label.length, longestUnicode); length > 0; length -= 1)
    if (unicode.has(label.slice(0, length).toLowerCase())) return length
  return 0
}

/** The length of the top-level domain that a label starts with, in UTF-16 units; 0 if there is none. */
function topLevelDomainLength(label: string): number {
  const punycode = /^xn--[-0-9a-z]+/i.exec(label)?.[0]
  if (punycode !== undefined) return punycode.length
  const letters = /^[a-z]+/i.exec(label)?.[0] ?? ''
  if (letters === '') return lengthInUnicode(label, topLevelDomains())
  return topLevelDomains().ascii.has(letters.toLowerCase()) ? letters.length : 0
}

/** A piece of a text, with its place in UTF-16 units. */
export interface Piece {
  start: number
  end: number
  text: string
}

const LONGEST_URL = 4096
const LONGEST_LABEL = 63
const LONGEST_SHORT_SLUG = 40

/** The characters of a query string; the last one may not be punctuation. */
const QUERY = String.raw`\?[a-z0-9!?*'@\(\);:&=+$\/%#\[\]\-_.,~\|]*[a-z0-9\-_&=#\/]`

/** A path: brackets only in pairs, and no punctuation at the end. */
function pathPattern(): string {
  const character = `[${LATIN}${CYRILLIC}0-9!*';:=+,.$\\/%#\\[\\]\\-–_~@\\|&]`
  const inBrackets = `\\((?:${character}+|${character}*\\(${character}+\\)${character}*)\\)`
  const last = `(?:[+\\-${LATIN}${CYRILLIC}0-9=_#\\/]|${inBrackets})`
  return `\\/(?:${character}*(?:${inBrackets}${character}*)*${last}|@${character}+\\/)*`
}

const patterns = lazy(() => ({
  scheme: new RegExp(`(?<![A-Za-z0-9@＠$#＃${INVALID}])https?:\\/\\/`, 'giv'),
  domainRun: new RegExp(`(?:[^${PUNCTUATION}${SPACES}${INVALID}${DIRECTIONS}]|[.\\-_])+`, 'yv'),
  latinRun: new RegExp(`(?<![@＠#＃$.\\-_\\/0-9${LATIN}])[0-9${LATIN}][0-9${LATIN}.\\-]*`, 'giv'),
  port: /:[0-9]+/y,
  path: new RegExp(pathPattern(), 'iyv'),
  query: new RegExp(QUERY, 'iyv'),
  short: new RegExp(`https?:\\/\\/t\\.co\\/([a-z0-9]+)(?:${QUERY})?`, 'iyv'),
}))

/** The index after the match of a sticky expression at `at`, or `at` itself if it does not match there. */
function after(expression: RegExp, text: string, at: number): number {
  expression.lastIndex = at
  return expression.test(text) ? expression.lastIndex : at
}

const isLabel = (label: string) => label !== '' && !/^[-_]|[-_]$/.test(label)

/**
 * The length of the domain that a run of labels starts with: the longest one that ends in a top-level domain; 0 if there is none.
 * `next` is the character after the run.
 */
function domainLength(run: string, next: string): number {
  const labels = run.split('.')
  let [length, found] = [0, 0]
  for (const [place, label] of labels.entries()) {
    const size = place === 0 || labels[place - 1]!.includes('_') ? 0 : topLevelDomainLength(label)
    const following = label.charAt(size) || (place === labels.length - 1 ? next : '.')
    if (size > 0 && !/[0-9a-z@+-]/i.test(following)) found = length + size
    if (!isLabel(label)) break
    length += label.length + 1
  }
  return found
}

const isHost = (domain: string): boolean => {
  const parts = domain.split('.')
  // Punycode is no shorter than its characters, which are two units at most, and takes the square of their number to make.
  if (parts.some(({ length }) => length > 2 * LONGEST_LABEL)) return false
  const labels = parts.map((label) => (/^[\w-]*$/.test(label) ? label : domainToASCII(label)))
  return labels.every((label) => label !== '' && label.length <= LONGEST_LABEL)
}

/** The end of port, path and query that follow a domain. Without a scheme they only count if there is a path. */
function endOfUrl(text: string, domainEnd: number, hasScheme: boolean): number {
  const { port, path, query } = patterns()
  const pathStart = after(port, text, domainEnd)
  const pathEnd = after(path, text, pathStart)
  return hasScheme || pathEnd > pathStart ? after(query, text, pathEnd) : domainEnd
}

/**
 * What begins like a URL, up to its end, and whether it is one: it is not if it is too long. The search goes on behind it either way: to try
 * each place within it again would read a long text as often as it has such places.
 */
interface Candidate extends Piece {
  isUrl: boolean
}

/** The candidate whose domain starts at `domainStart`, if there is one. */
function candidateAt(text: string, start: number, domainStart: number, run: string): Candidate | undefined {
  const length = domainLength(run, text.charAt(domainStart + run.length))
  if (length === 0 || !isHost(run.slice(0, length))) return
  const { short } = patterns()
  short.lastIndex = start
  const [found, slug = ''] = short.exec(text) ?? []
  const end = found === undefined ? endOfUrl(text, domainStart + length, domainStart > start) : start + found.length
  return { start, end, text: text.slice(start, end), isUrl: end - start <= LONGEST_URL && slug.length <= LONGEST_SHORT_SLUG }
}

function* withScheme(text: string): Generator<Candidate> {
  let read = 0
  for (const { index, 0: sign } of text.matchAll(patterns().scheme)) {
    if (index < read) continue
    const domainStart = index + sign.length
    const run = text.slice(domainStart, after(patterns().domainRun, text, domainStart))
    const candidate = candidateAt(text, index, domainStart, run)
    if (candidate === undefined) continue
    read = candidate.end
    yield candidate
  }
}

/** Without a scheme only domains in Latin letters count. */
function* withoutScheme(text: string): Generator<Candidate> {
  let read = 0
  for (const { index, 0: run } of text.matchAll(patterns().latinRun)) {
    if (index < read || !run.includes('.')) continue
    const candidate = candidateAt(text, index, index, run)
    if (candidate === undefined) continue
    read = candidate.end
    yield candidate
  }
}

/** The URLs of a text in their order, with and without a scheme. Where two overlap, the one that starts first counts. */
export function urlsIn(text: string): Piece[] {
  if (!text.includes('.')) return []
  const found = [...withScheme(text), ...withoutScheme(text)].sort((one, other) => one.start - other.start)
  let read = 0
  return found.flatMap(({ isUrl, ...url }) => {
    if (url.start < read) return []
    read = url.end
    return isUrl ? [url] : []
  })
}
