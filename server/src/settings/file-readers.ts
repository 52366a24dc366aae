import { X509Certificate } from 'node:crypto'
import { accessSync, constants, readFileSync } from 'node:fs'
import { isAbsolute } from 'node:path'

// Each reads a file that a setting names, or throws an Error whose message ends the sentence that begins with the setting's name.

/** What `readFileSync` says, without the path, which the sentence has already. */
const reasonOf = (error: unknown) => (error as Error).message.replace(/, \w+( '.*')?$/s, '')

/** The text of a file. */
export function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new Error(`names ${path}, which cannot be read: ${reasonOf(error)}`)
  }
}

/** A file that can be read: its path. */
export function readableFile(path: string): string {
  textOf(path)
  return path
}

/** A program: its path, from the root, because it is run in other folders. */
export function executable(path: string): string {
  if (!isAbsolute(path)) throw new Error(`must be a path from the root, such as /usr/bin/ffmpeg, not "${path}"`)
  try {
    accessSync(path, constants.X_OK)
  } catch (error) {
    throw new Error(`names ${path}, which cannot be run: ${reasonOf(error)}`)
  }
  return path
}

/** `on`, `off`, or a file that can be read. */
export function limitsSetting(text: string): string {
  if (text === 'on' || text === 'off') return text
  try {
    return readableFile(text)
  } catch (error) {
    throw new Error(`must be on, off or a JSON file: it ${(error as Error).message}`)
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs

function assertCertificate(pem: string, place: number, path: string) {
  try {
    new X509Certificate(pem)
  } catch {
    throw new Error(`names ${path}, whose certificate ${place + 1} cannot be read`)
  }
}

/** The certificates of a PEM file, as PEM. TLS would ignore one that it cannot read. */
export function certificates(path: string): string {
  const pem = textOf(path)
  const found = pem.match(CERTIFICATE)
  if (!found) throw new Error(`names ${path}, which holds no PEM certificate`)
  for (const [place, one] of found.entries()) assertCertificate(one, place, path)
  return pem
}
