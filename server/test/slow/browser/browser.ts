import { existsSync } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import chromium from '@sparticuz/chromium'
import { type Browser, chromium as playwright } from 'playwright-core'

/** For a process that may make no sandbox; the package's own flags would turn off what pages are protected by, and allow one context. */
const ARGUMENTS = ['--no-sandbox', '--no-zygote', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader']

/** Where all files of tests find the browser. One extracts it into a folder of its own first, so that no other starts half of it. */
async function extracted(): Promise<string> {
  const shared = join(tmpdir(), 'postern-browser')
  if (!existsSync(shared)) {
    const own = await mkdtemp(join(tmpdir(), 'postern-browser-'))
    const { TMPDIR: former } = process.env
    process.env.TMPDIR = own
    await chromium.executablePath()
    if (former === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = former
    // Another file of tests may have been first.
    await rename(own, shared).catch(() => rm(own, { recursive: true }))
  }
  return join(shared, 'chromium')
}

/** A real, headless browser from a package; nothing is downloaded. */
export async function openBrowser(): Promise<Browser> {
  return playwright.launch({
    executablePath: await extracted(),
    args: [...ARGUMENTS, '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'],
    headless: true,
  })
}
