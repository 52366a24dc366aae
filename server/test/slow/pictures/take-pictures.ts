import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { openBrowser } from '../browser/browser.ts'
import { setStory } from './demo-story.ts'

const LEAST_HEIGHT = 800
/** Of 100: text stays sharp, at half the size of a PNG. */
const QUALITY = 80

/** Takes a picture of a whole page as it stands, light and dark. */
async function take(page: Page, folder: string, name: string, width: number) {
  await page.setViewportSize({ width, height: LEAST_HEIGHT })
  const height = await page.evaluate(() => document.documentElement.scrollHeight)
  await page.setViewportSize({ width, height })
  // Playwright itself writes no WebP.
  const session = await page.context().newCDPSession(page)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY })
    await writeFile(join(folder, `${name}-${colorScheme}.webp`), Buffer.from(data, 'base64'))
  }
  await session.detach()
}

/** Takes the pictures of the console: its feed, and the way of an event. */
export async function takePictures(folder: string): Promise<void> {
  await using story = await setStory()
  await using browser = await openBrowser()
  const page = await browser.newPage({ locale: 'en' })
  // The feed tells of challenges only while it is read.
  await page.goto(story.url)
  await page.getByText('Live', { exact: true }).waitFor()
  const eventId = await story.tell()
  await page.getByRole('row', { name: /Delivery post\.mention\.create retrying 503/ }).waitFor()
  await page.getByRole('row', { name: /Call POST \/2\/tweets answered 201/ }).waitFor()
  // Names of webhooks and people are read a moment after.
  await page.getByRole('row', { name: /delivered 200 \S+\/news/ }).waitFor()
  await take(page, folder, 'feed', 1280)
  await page.goto(`${story.url}events/${eventId}`)
  await page.getByText('Attempt 3').waitFor()
  await page.getByText('Request and answer of the call').waitFor()
  await page.getByText('Ada (101)').first().waitFor()
  await take(page, folder, 'way', 960)
}
