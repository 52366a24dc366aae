import type { Content } from '../../storage/content.ts'
import { media } from '../../storage/content-tables.ts'
import { originalOf, posterOf } from '../../storage/media-files.ts'

const pathOf = (url: unknown) => (typeof url === 'string' ? URL.parse(url)?.pathname : undefined)

/** The key of the file at this path. The row of the media says by which paths they are read: once it is gone, they are gone. */
export async function findMediaFile(content: Pick<Content, 'rows'>, mediaKey: string, path: string): Promise<string | undefined> {
  const [row] = await content.rows(media, ['url', 'preview_image_url'], [mediaKey])
  const [url, poster] = row ?? []
  if (pathOf(url) === path) return originalOf(mediaKey)
  return pathOf(poster) === path ? posterOf(mediaKey) : undefined
}
