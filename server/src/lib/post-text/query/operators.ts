import { isCashtagName, isHashtagName, isUsername } from '../tags.ts'
import { searchableUrl } from '../terms.ts'
import { wordsOf } from '../words.ts'
import type { Condition, Count, UserCondition } from './query.ts'

/** A leaf of a query, or a sentence that says what is wrong with the value. */
export type Read = Condition | UserCondition | string

export interface Operator {
  /** Whether it needs no more of a post than its text. */
  isOfText: boolean | ((value: string) => boolean)
  read(value: string): Read
}

const term = (text: string): Condition => ({ kind: 'term', term: text })
const listOf = (values: Iterable<string>) => [...values].join(', ')

/** An operator with fixed values. The key of a row is what clients write, its value the canonical one. */
function choice(name: string, values: Record<string, string>, ofText: readonly string[] = []): Operator {
  return {
    isOfText: ofText.length > 0 && ((value) => ofText.includes(value.toLowerCase())),
    read(value) {
      const known = Object.hasOwn(values, value.toLowerCase()) ? values[value.toLowerCase()] : undefined
      return known === undefined ? `${name}: must be one of ${listOf(Object.keys(values))}` : term(`${name}:${known}`)
    },
  }
}

const user = (role: 'from' | 'to'): Operator => ({
  isOfText: false,
  read(value) {
    const name = value.replace(/^@/, '').toLowerCase()
    if (/^[0-9]{1,19}$/.test(name)) return term(`${role}:${name}`)
    return isUsername(name) ? { kind: 'user', role, username: name } : `${role}: must be followed by a username or a user id`
  },
})

const atLeast = (name: string, count: Count): Operator => ({
  isOfText: false,
  read: (value) =>
    /^[0-9]{1,9}$/.test(value) ? { kind: 'atLeast', count, value: Number(value) } : `${name}: must be followed by a whole number`,
})

const matching = (name: string, pattern: RegExp, what: string): Operator => ({
  isOfText: false,
  read: (value) => (pattern.test(value) ? term(`${name}:${value.toLowerCase()}`) : `${name}: must be followed by ${what}`),
})

const url: Operator = {
  isOfText: true,
  read(value) {
    const { host, words, hostWords } = searchableUrl(value)
    const domain = host.replace(/^www\.(?=.*\.)/s, '')
    if (host.includes('.') && hostWords > 0) return { kind: 'url', domain, words: words.slice(hostWords) }
    return words.length > 0 ? { kind: 'url', words } : 'url: must be followed by a domain, a URL or a word of a URL'
  },
}

const HAS = ['media', 'images', 'videos', 'links', 'hashtags', 'mentions', 'cashtags', 'geo']
const asIs = (values: readonly string[]) => Object.fromEntries(values.map((value) => [value, value]))

/** The operators of the search language (`name:value`), by name. */
export const operators: Record<string, Operator> = {
  from: user('from'),
  to: user('to'),
  url,
  conversation_id: matching('conversation_id', /^[0-9]{1,19}$/, 'the id of a post'),
  has: choice('has', asIs(HAS), ['links', 'hashtags', 'mentions', 'cashtags']),
  is: choice('is', { ...asIs(['reply', 'quote', 'repost']), retweet: 'repost', ...asIs(['verified', 'nullcast']) }),
  lang: matching('lang', /^[a-z]{2,3}(-[a-z]{2,4})?$/i, 'a language tag like en'),
  min_likes: atLeast('min_likes', 'likes'),
  min_faves: atLeast('min_faves', 'likes'),
  min_replies: atLeast('min_replies', 'replies'),
  min_reposts: atLeast('min_reposts', 'reposts'),
  min_retweets: atLeast('min_retweets', 'reposts'),
}

interface Sign {
  what: string
  isName(text: string): boolean
}

/** What a sign before a name means: `#cats`, `$TWTR`, `@bob`. */
export const signs: Record<string, Sign> = {
  '#': { what: 'a hashtag', isName: isHashtagName },
  $: { what: 'a cashtag', isName: isCashtagName },
  '@': { what: 'a username', isName: isUsername },
}

/** The words of a keyword or phrase. */
export const wordsCondition = (text: string): Read => {
  const words = wordsOf(text)
  return words.length > 0 ? { kind: 'words', words } : `'${text}' has no letter, digit or emoji to look for`
}
