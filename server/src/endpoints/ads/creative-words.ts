import { matchingAds } from '../../api/declare/ads-words.ts'
import { text, type WordOptions } from '../../api/declare/words.ts'

/** A web address, to which a creative leads. */
export const webUrl = (about: WordOptions = {}) =>
  matchingAds('^[hH][tT][tT][pP][sS]?://[^\\s/?#@\\\\]+([/?#][^\\s\\\\]*)?$', 'a URL that begins with https:// or http://', {
    example: 'https://shop.example/',
    ...about,
  })

/** The URI of a card. */
export const cardUri = () =>
  matchingAds('^card://[0-9]{1,20}$', 'a URI such as card://1503831318555086849', { example: 'card://1503831318555086849' })

/** What a post and the media library say of a video. */
export const videoTitle = (about: WordOptions = {}) => text({ max: 70, ...about })
export const videoDescription = (about: WordOptions = {}) => text({ max: 200, ...about })
