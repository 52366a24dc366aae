import type { SearchablePost } from './searchable-post.ts'
import { foldText, termsOfWords, type Word, wordsOf } from './words.ts'

/** Tokens of a URL, and labels of its host, that are searched: the rest of a longer one is not. */
const MOST_TOKENS = 32

/** A URL as a search sees it: its host in lower case, and the tokens of host and path. */
export interface SearchableUrl {
  host: string
  words: Word[]
  /** How many of the tokens are the host's. */
  hostWords: number
}

/** Reads a URL, with or without a scheme. */
export function searchableUrl(url: string): SearchableUrl {
  const [, authority = '', rest = ''] = /^(?:[a-z]+:\/\/)?([^/?#]*)(.*)$/is.exec(url)!
  const labels = authority.replace(/^.*@/s, '').replace(/:\d*$/, '').toLowerCase().split('.')
  const host = labels.slice(-MOST_TOKENS).join('.')
  const ofHost = wordsOf(host)
  return { host, words: [...ofHost, ...wordsOf(rest)].slice(0, MOST_TOKENS), hostWords: Math.min(ofHost.length, MOST_TOKENS) }
}

/** Whether a host is a domain or one of its subdomains. */
export const isWithin = (host: string, domain: string): boolean => host === domain || host.endsWith(`.${domain}`)

/** The host and the domains that it is within, except the top-level domain: `a.b.com`, `b.com`. */
const domainsOf = (host: string): string[] => {
  const labels = host.split('.')
  return labels.slice(1).map((_, place) => labels.slice(place).join('.'))
}

/** `url:` terms: the domains of the host, and the tokens. */
const termsOfUrl = ({ host, words }: SearchableUrl): string[] =>
  [...domainsOf(host), ...words.map(({ text }) => text)].map((value) => `url:${value}`)

/** Code points of a URL in the text of a post whose tokens are words of the post: one URL must not make thousands. */
const SEARCHED_OF_URL = 100

/** The tokens of a post's text. */
export function wordsOfPost({ text, entities: { urls } }: SearchablePost): Word[] {
  if (urls.every(({ start, end }) => end - start <= SEARCHED_OF_URL)) return wordsOf(text)
  const characters = [...text]
  let [at, searched] = [0, '']
  for (const { start, end } of urls) {
    searched += characters.slice(at, Math.min(end, start + SEARCHED_OF_URL)).join('')
    at = end
  }
  return wordsOf(searched + characters.slice(at).join(''))
}

/** Terms of what a post is and has, by their condition. */
const flagTerms: Record<string, (post: SearchablePost) => unknown> = {
  'has:cashtags': ({ entities }) => entities.cashtags.length,
  'has:geo': ({ hasGeo }) => hasGeo,
  'has:hashtags': ({ entities }) => entities.hashtags.length,
  'has:images': ({ mediaKinds }) => mediaKinds?.includes('photo'),
  'has:links': ({ entities, mediaKinds }) => entities.urls.length || mediaKinds?.length,
  'has:media': ({ mediaKinds }) => mediaKinds?.length,
  'has:mentions': ({ entities }) => entities.mentions.length,
  'has:videos': ({ mediaKinds }) => mediaKinds?.includes('video'),
  'is:nullcast': ({ isNullcast }) => isNullcast,
  'is:quote': ({ isQuote }) => isQuote,
  'is:reply': ({ isReply }) => isReply,
  'is:repost': ({ isRepost }) => isRepost,
  'is:verified': ({ isAuthorVerified }) => isAuthorVerified,
}

const valueTerms = (prefix: string, value: string | undefined) => (value === undefined ? [] : [prefix + value])

/** The terms of a post except its words. */
export function attributeTermsOf(post: SearchablePost): Set<string> {
  const { entities, authorId, inReplyToUserId, mentionedIds = [], lang, conversationId } = post
  return new Set([
    ...entities.hashtags.map(({ tag }) => `#${foldText(tag)}`),
    ...entities.cashtags.map(({ tag }) => `$${foldText(tag)}`),
    ...entities.mentions.map(({ username }) => `@${foldText(username)}`),
    ...valueTerms('from:', authorId),
    ...valueTerms('to:', inReplyToUserId),
    ...mentionedIds.map((id) => `mention:${id}`),
    ...valueTerms('lang:', lang?.toLowerCase()),
    ...valueTerms('conversation_id:', conversationId),
    ...entities.urls.flatMap(({ expanded_url }) => termsOfUrl(searchableUrl(expanded_url))),
    ...Object.keys(flagTerms).filter((term) => flagTerms[term]!(post)),
  ])
}

/** The index terms of a post, sorted, each once. */
export const termsOf = (post: SearchablePost): string[] =>
  [...attributeTermsOf(post).union(new Set(termsOfWords(wordsOfPost(post))))].sort()

const encoder = new TextEncoder()
const answer = new DataView(new ArrayBuffer(8))
const SIGN_BIT_CLEARED = 0x7fff_ffff_ffff_ffffn
const PRIME_LOW = 0x1b3
let bytes = new Uint8Array(1024)

function bytesOf(text: string): Uint8Array {
  if (bytes.length < text.length * 3) bytes = new Uint8Array(text.length * 3)
  return bytes.subarray(0, encoder.encodeInto(text, bytes).written)
}

/**
 * The hash under which the search index holds a term: 64-bit FNV-1a over UTF-8 with the highest bit cleared, so that it is a non-negative
 * integer in both databases. It must never change. Limbs of 16 bits instead of BigInt: a multiple faster.
 */
export function termHash(term: string): bigint {
  let [a, b, c, d] = [0x2325, 0x8422, 0x9ce4, 0xcbf2]
  for (const byte of bytesOf(term)) {
    const low = (a ^ byte) & 0xffff
    // The prime is 2^40 + 0x1b3: a shift by 40 bits is one by two limbs and 8 bits.
    const first = low * PRIME_LOW
    const second = (first >>> 16) + b * PRIME_LOW
    const third = (second >>> 16) + c * PRIME_LOW + (low << 8)
    d = ((third >>> 16) + d * PRIME_LOW + (b << 8)) & 0xffff
    a = first & 0xffff
    b = second & 0xffff
    c = third & 0xffff
  }
  answer.setUint32(0, ((d << 16) | c) >>> 0)
  answer.setUint32(4, ((b << 16) | a) >>> 0)
  return answer.getBigUint64(0) & SIGN_BIT_CLEARED
}
