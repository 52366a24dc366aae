import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join, resolve } from 'node:path'
import { type LoopbackServer, serveOnLoopback } from './serve-on-loopback.ts'
import { tarballOf } from './tarball.ts'

const root = resolve(import.meta.dirname, '..')

interface Locked {
  version: string
  link?: boolean
}

/** The folders of every installed version of a package, as the lock file places them. */
function foldersOf(name: string): Map<string, string> {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Record<string, Locked> }
  const places = Object.entries(packages).filter(([path, { link }]) => path.endsWith(`node_modules/${name}`) && !link)
  return new Map(places.filter(([path]) => existsSync(join(root, path))).map(([path, { version }]) => [version, join(root, path)]))
}

const versionOf = (folder: string): string => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version

/**
 * Serves the packages that are installed in this repository, and those in `more` by their folders, as a registry does: what `npm install`
 * then does is what it does at users, without a network.
 */
export async function startRegistry(more: Readonly<Record<string, string>>): Promise<LoopbackServer> {
  const tarballs = new Map<string, Buffer>()
  const tarball = (folder: string) => {
    const made = tarballs.get(folder) ?? tarballOf(folder)
    tarballs.set(folder, made)
    return made
  }
  const versionsOf = (name: string) => {
    const own = more[name]
    return own === undefined ? foldersOf(name) : new Map([[versionOf(own), own]])
  }

  const describe = (name: string, url: string) => {
    const versions = [...versionsOf(name)].map(([version, folder]) => {
      const integrity = `sha512-${createHash('sha512').update(tarball(folder)).digest('base64')}`
      const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      return [version, { ...manifest, dist: { integrity, tarball: `${url}/-/${encodeURIComponent(name)}/${version}.tgz` } }]
    })
    const latest = versions.at(-1)?.[0]
    return latest === undefined ? undefined : JSON.stringify({ name, 'dist-tags': { latest }, versions: Object.fromEntries(versions) })
  }

  const send = (response: ServerResponse, status: number, body: string | Buffer) => {
    response.writeHead(status, { 'content-type': typeof body === 'string' ? 'application/json' : 'application/octet-stream' })
    response.end(body)
  }

  return serveOnLoopback((request, response) => {
    const path = request.url!
    const file = /^\/-\/([^/]+)\/([^/]+)\.tgz$/.exec(path)
    const folder = file && versionsOf(decodeURIComponent(file[1]!)).get(file[2]!)
    if (folder) return send(response, 200, tarball(folder))
    const name = decodeURIComponent(path.slice(1))
    const described = describe(name, `http://${request.headers.host}`)
    send(response, described === undefined ? 404 : 200, described ?? '{}')
  })
}
