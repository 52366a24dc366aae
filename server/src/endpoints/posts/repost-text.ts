/** How long the text of a repost is at most, in code points (public practice). */
const MAX_LENGTH = 140

/** The text of a repost: who wrote the post, and its beginning. */
export function repostText(username: string, text: string): string {
  const characters = [...`RT @${username}: ${text}`]
  return characters.length > MAX_LENGTH ? `${characters.slice(0, MAX_LENGTH - 1).join('')}…` : characters.join('')
}
