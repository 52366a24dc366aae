import { lazy } from '../lazy.ts'
import { LATIN, PUNCTUATION, SPACES, TAG_CHARACTERS } from './characters.ts'

/** A sign with its name, without the sign, and its place in UTF-16 units. */
export interface Tag {
  start: number
  end: number
  name: string
}

const CASHTAG = '[a-z]{1,6}(?:[._][a-z]{1,2})?'
const LONGEST_USERNAME = 15
const BEFORE_MENTION = '(?<=^|[^a-zA-Z0-9_!#$%&*@＠]|(?:^|[^a-zA-Z0-9_+~.\\-])[rR][tT]:?)'

const patterns = lazy(() => ({
  hashtag: new RegExp(`(?<=^|[\\ufe0e\\ufe0f]|[^${TAG_CHARACTERS}&])[#＃](?![\\ufe0f\\u20e3])([${TAG_CHARACTERS}]+)`, 'gv'),
  cashtag: new RegExp(`(?<=^|[${SPACES}])\\$(${CASHTAG})(?=$|\\s|[${PUNCTUATION}])`, 'giv'),
  mention: new RegExp(`${BEFORE_MENTION}[@＠]([a-zA-Z0-9_]+)(\\/[a-zA-Z][a-zA-Z0-9_\\-]{0,24})?`, 'gv'),
  hashtagName: new RegExp(`^[${TAG_CHARACTERS}]*[\\p{L}\\p{M}][${TAG_CHARACTERS}]*$`, 'v'),
  cashtagName: new RegExp(`^${CASHTAG}$`, 'i'),
  /** What stands directly after a sign and its name and makes it something else: a further sign, or a URL. */
  afterHashtag: /[#＃]|:\/\//y,
  afterMention: new RegExp(`[@＠${LATIN}]|:\\/\\/`, 'iyv'),
}))

const tagOf = ({ index, 0: whole, 1: name = '' }: RegExpExecArray): Tag => ({ start: index, end: index + whole.length, name })

const isFollowedBy = (expression: RegExp, text: string, at: number): boolean => {
  expression.lastIndex = at
  return expression.test(text)
}

/** Whether a text can be a hashtag, without its sign: at least one letter, and no signs that end it. */
export const isHashtagName = (text: string): boolean => patterns().hashtagName.test(text)

export const isCashtagName = (text: string): boolean => patterns().cashtagName.test(text)

export const isUsername = (text: string): boolean => text.length <= LONGEST_USERNAME && /^[a-zA-Z0-9_]+$/.test(text)

export const hashtagsIn = (text: string): Tag[] =>
  /[#＃]/.test(text)
    ? [...text.matchAll(patterns().hashtag)]
        .map(tagOf)
        .filter(({ name, end }) => isHashtagName(name) && !isFollowedBy(patterns().afterHashtag, text, end))
    : []

export const cashtagsIn = (text: string): Tag[] => (text.includes('$') ? [...text.matchAll(patterns().cashtag)].map(tagOf) : [])

/** Usernames after `@`. The name of a list (`@username/list`) is no mention. */
export function mentionsIn(text: string): Tag[] {
  if (!/[@＠]/.test(text)) return []
  const found = [...text.matchAll(patterns().mention)].filter(([, , list]) => list === undefined)
  return found.map(tagOf).filter(({ name, end }) => isUsername(name) && !isFollowedBy(patterns().afterMention, text, end))
}
