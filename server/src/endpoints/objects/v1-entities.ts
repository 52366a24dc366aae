import { exactNumber } from '../../lib/numbers.ts'

interface Span {
  start: number
  end: number
}

/** The entities of a post as v2 stores them. */
export interface StoredEntities {
  hashtags?: (Span & { tag: string })[]
  cashtags?: (Span & { tag: string })[]
  mentions?: (Span & { username: string; id?: string })[]
  urls?: (Span & { url: string; expanded_url: string; display_url: string })[]
}

/** A photo, GIF or video of a post. */
export interface AttachedMedia {
  key: string
  type: string
  url: string | null
  previewUrl: string | null
}

const indices = ({ start, end }: Span) => ({ indices: [start, end] })

/** A photo, GIF or video in the v1.1 form. It stands behind the text, which ends at `end`. */
export const mediaEntity = ({ key, type, url, previewUrl }: AttachedMedia, end: number) => {
  const id = key.split('_')[1]!
  const shown = type === 'photo' ? url : previewUrl
  return { id: exactNumber(id), id_str: id, media_key: key, type, media_url: shown, media_url_https: shown, indices: [end, end] }
}

/**
 * The entities of a text in the v1.1 form: each with `indices` in code points. Those beyond `end` are left out, where the text is cut there;
 * mentions of users who do not exist, too. Media stand behind the text.
 */
export function v1EntitiesOf(
  { hashtags = [], cashtags = [], mentions = [], urls = [] }: StoredEntities,
  { end, names, media }: { end: number; names: ReadonlyMap<string, string>; media: readonly AttachedMedia[] },
) {
  const isWithin = (span: Span) => span.end <= end
  const tags = (found: readonly (Span & { tag: string })[]) =>
    found.filter(isWithin).map(({ tag, ...span }) => ({ text: tag, ...indices(span) }))
  return {
    hashtags: tags(hashtags),
    symbols: tags(cashtags),
    user_mentions: mentions.filter(isWithin).flatMap(({ username, id, ...span }) => {
      const name = id === undefined ? undefined : names.get(id)
      return name === undefined ? [] : [{ screen_name: username, name, id: exactNumber(id!), id_str: id, ...indices(span) }]
    }),
    urls: urls
      .filter(isWithin)
      .map(({ url, expanded_url, display_url, ...span }) => ({ url, expanded_url, display_url, ...indices(span) })),
    ...(media.length > 0 && { media: media.map((one) => mediaEntity(one, end)) }),
  }
}
