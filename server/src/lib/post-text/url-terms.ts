import { type Word, wordsOf } from './words.ts'

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
export const termsOfUrl = ({ host, words }: SearchableUrl): string[] =>
  [...domainsOf(host), ...words.map(({ text }) => text)].map((value) => `url:${value}`)
