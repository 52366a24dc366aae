import { lazy } from '../lazy.ts'
import { normalize } from '../text.ts'
import { urlsIn } from './urls.ts'

/** Weight that a post may have at most. */
export const LONGEST_POST = 280

const WEIGHT_OF_URL = 23
const WEIGHT_OF_EMOJI = 2

/** Code points of weight 1: Latin and its neighbours up to Georgian, and general punctuation. All others, CJK among them, weigh 2. */
const light = /[\u{0}-\u{10ff}\u{2000}-\u{200d}\u{2010}-\u{201f}\u{2032}-\u{2037}]/u
const emojiOrCharacter = lazy(() => /\p{RGI_Emoji}|[#*0-9]\u20e3|[\s\S]/gv)

function weightOfPlainText(text: string): number {
  if (/^[\0-\x7f]*$/.test(text)) return text.length
  let weight = 0
  for (const [piece] of text.matchAll(emojiOrCharacter())) {
    const isCharacter = piece.length === 1 || [...piece].length === 1
    weight += isCharacter && light.test(piece) ? 1 : WEIGHT_OF_EMOJI
  }
  return weight
}

/** The length of a post as the service counts it: in NFC, every URL 23, every emoji and every CJK character 2. */
export function weightedLength(text: string): number {
  const normalized = normalize(text, 'NFC')
  let [weight, end] = [0, 0]
  for (const url of urlsIn(normalized)) {
    weight += weightOfPlainText(normalized.slice(end, url.start)) + WEIGHT_OF_URL
    end = url.end
  }
  return weight + weightOfPlainText(normalized.slice(end))
}

/** Whether a post is longer than allowed. */
export const isTooLong = (text: string, longest: number = LONGEST_POST): boolean => weightedLength(text) > longest

const LEADING_MENTIONS = /^(?:[@＠][a-zA-Z0-9_]+\s+)+/

export interface DisplayOptions {
  /** Clients hide the usernames that a reply starts with. */
  isReply?: boolean
  /** Clients hide these URLs at the end: they show the media or the quoted post instead. */
  hiddenUrls?: readonly string[]
}

/** Without the hidden URLs at the end, and the spaces before them. */
function withoutHidden(text: string, hiddenUrls: readonly string[]): string {
  const trimmed = text.trimEnd()
  const hidden = hiddenUrls.find((url) => url !== '' && trimmed.endsWith(url))
  return hidden === undefined ? text : withoutHidden(trimmed.slice(0, -hidden.length).trimEnd(), hiddenUrls)
}

/** The part of a post that clients show, as code point indexes; the second is exclusive. */
export function displayTextRange(text: string, { isReply = false, hiddenUrls = [] }: DisplayOptions = {}): [number, number] {
  const start = isReply ? [...(LEADING_MENTIONS.exec(text)?.[0] ?? '')].length : 0
  return [start, Math.max(start, [...withoutHidden(text, hiddenUrls)].length)]
}
