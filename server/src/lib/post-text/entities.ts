import { cashtagsIn, hashtagsIn, mentionsIn, type Tag } from './tags.ts'
import { urlsIn } from './urls.ts'

/** How many characters after the host are shown. */
const SHOWN_OF_PATH = 15

/** The URL with a scheme; `http` is what public practice assumes. */
const expandedUrl = (url: string): string => (/^https?:\/\//i.test(url) ? url : `http://${url}`)

/** The URL as clients show it: without scheme and `www.`, with at most 15 characters after the host. */
function displayUrl(url: string): string {
  const shown = url.replace(/^https?:\/\/(?:www\.)?|^www\./i, '')
  const [, host = '', rest = ''] = /^([^/?#]*)(.*)$/s.exec(shown)!
  const characters = [...rest]
  if (characters.length === 1 && rest === '/') return host
  return characters.length <= SHOWN_OF_PATH ? shown : `${host}${characters.slice(0, SHOWN_OF_PATH).join('')}…`
}

/** The place of an entity, counted in Unicode code points; `end` is exclusive. */
export interface Span {
  start: number
  end: number
}

/** What a text names, as `entities` of a v2 object shows it. */
export interface Entities {
  hashtags: (Span & { tag: string })[]
  cashtags: (Span & { tag: string })[]
  /** Without user ids: the text does not know them. */
  mentions: (Span & { username: string })[]
  urls: (Span & { url: string; expanded_url: string; display_url: string })[]
}

type Kind = keyof Entities
type Found = Tag & { kind: Kind }

const foundIn = (text: string): Found[] => {
  const found: Found[] = [
    ...urlsIn(text).map(({ start, end, text: name }): Found => ({ kind: 'urls', start, end, name })),
    ...mentionsIn(text).map((tag): Found => ({ kind: 'mentions', ...tag })),
    ...hashtagsIn(text).map((tag): Found => ({ kind: 'hashtags', ...tag })),
    ...cashtagsIn(text).map((tag): Found => ({ kind: 'cashtags', ...tag })),
  ]
  return found.sort((one, other) => one.start - other.start)
}

/** Returns a function that turns ascending UTF-16 indexes into code point indexes. */
function codePointCounter(text: string): (index: number) => number {
  let [at, count] = [0, 0]
  return (index) => {
    while (at < index) {
      at += text.codePointAt(at)! > 0xffff ? 2 : 1
      count += 1
    }
    return count
  }
}

/** The entities of a text. Where two overlap, the one that starts first counts. */
export function entitiesOf(text: string): Entities {
  const entities: Entities = { hashtags: [], cashtags: [], mentions: [], urls: [] }
  const countTo = codePointCounter(text)
  let end = 0
  for (const { kind, name, ...place } of foundIn(text)) {
    if (place.start < end) continue
    end = place.end
    const span = { start: countTo(place.start), end: countTo(place.end) }
    if (kind === 'urls') entities.urls.push({ ...span, url: name, expanded_url: expandedUrl(name), display_url: displayUrl(name) })
    else if (kind === 'mentions') entities.mentions.push({ ...span, username: name })
    else entities[kind].push({ ...span, tag: name })
  }
  return entities
}
