import type { SearchablePost } from './searchable-post.ts'
import { searchableUrl, termsOfUrl } from './url-terms.ts'
import { foldText, termsOfWords, type Word, wordsOf } from './words.ts'

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
