import type { ImageChecks } from '../../../../storage/catalogs.ts'
import { isUnavailable } from '../../../../storage/unavailable.ts'
import { fetchedUrl, splitUrls } from '../rules/web-links.ts'

interface Accepted {
  status: string
  warnings: string[]
}

/** The images of an accepted item. */
function imagesOf({ image_link: link, additional_image_link: others }: Readonly<Record<string, unknown>>): string[] {
  const more = typeof others === 'string' && others !== '' ? splitUrls(others) : []
  return [link as string, ...more]
}

/**
 * Adds a warning for each image of an accepted item that has a problem, and has those checked that were not checked within a day. The items are
 * stored: in an outage their results are answered without that.
 */
export async function addImageWarnings(
  catalogId: string,
  items: readonly Readonly<Record<string, unknown>>[],
  results: readonly Accepted[],
  { imageChecks, now }: { imageChecks: ImageChecks; now: () => number },
) {
  const images = items.map((item, place) => (results[place]!.status === 'ERROR' ? [] : imagesOf(item)))
  const urls = [...new Set(images.flat().map(fetchedUrl))]
  try {
    const problems = await imageChecks.problems(urls)
    for (const [place, links] of images.entries())
      for (const link of links) {
        const problem = problems.get(fetchedUrl(link))
        if (problem !== undefined) results[place]!.warnings.push(`${link}: ${problem}`)
      }
    await imageChecks.request(catalogId, urls, now())
  } catch (error) {
    if (!isUnavailable(error)) throw error
  }
}
