import { LATIN, PUNCTUATION, SPACES, TAG_CHARACTERS } from './characters.ts'

/** A sign with its name, without the sign, and its place in UTF-16 units. */
export interface Tag {
  start: number
  end: number
  name: string
}

const hashtag = new RegExp(`(?<=^|[\\ufe0e\\ufe0f]|[^${TAG_CHARACTERS}&])[#＃](?![\\ufe0f\\u20e3])([${TAG_CHARACTERS}]+)`, 'gv')
const cashtag = new RegExp(`(?<=^|[${SPACES}])\\$([a-z]{1,6}(?:[._][a-z]{1,2})?)(?=$|\\s|[${PUNCTUATION}])`, 'giv')
const beforeMention = '(?<=^|[^a-zA-Z0-9_!#$%&*@＠]|(?:^|[^a-zA-Z0-9_+~.\\-])[rR][tT]:?)'
const mention = new RegExp(`${beforeMention}[@＠]([a-zA-Z0-9_]+)(\\/[a-zA-Z][a-zA-Z0-9_\\-]{0,24})?`, 'gv')

/** What stands directly after a sign and its name and makes it something else: a further sign, or a URL. */
const spoilsHashtag = /[#＃]|:\/\//y
const spoilsMention = new RegExp(`[@＠${LATIN}]|:\\/\\/`, 'iyv')

const LONGEST_USERNAME = 15

const tagOf = ({ index, 0: whole, 1: name = '' }: RegExpExecArray): Tag => ({ start: index, end: index + whole.length, name })

const isFollowedBy = (expression: RegExp, text: string, at: number): boolean => {
  expression.lastIndex = at
  return expression.test(text)
}

/** A hashtag has at least one letter. */
export const hashtagsIn = (text: string): Tag[] =>
  /[#＃]/.test(text)
    ? [...text.matchAll(hashtag)]
        .map(tagOf)
        .filter(({ name, end }) => /[\p{L}\p{M}]/v.test(name) && !isFollowedBy(spoilsHashtag, text, end))
    : []

export const cashtagsIn = (text: string): Tag[] => (text.includes('$') ? [...text.matchAll(cashtag)].map(tagOf) : [])

/** Usernames after `@`. The name of a list (`@username/list`) is no mention. */
export function mentionsIn(text: string): Tag[] {
  if (!/[@＠]/.test(text)) return []
  const found = [...text.matchAll(mention)].filter(([, , list]) => list === undefined)
  return found.map(tagOf).filter(({ name, end }) => name.length <= LONGEST_USERNAME && !isFollowedBy(spoilsMention, text, end))
}
