import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'

const PATH = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts'

/** Parses a hosts file: each name, in lower case, with its addresses. Addresses with a zone are skipped. */
export function parseHosts(text: string): Map<string, string[]> {
  const hosts = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    if (isIP(address) === 0 || address.includes('%')) continue
    for (const name of names) hosts.set(name.toLowerCase(), [...(hosts.get(name.toLowerCase()) ?? []), address])
  }
  return hosts
}

/** The hosts file of this machine; empty when there is none. */
export const readHostsFile = async (): Promise<Map<string, string[]>> => parseHosts(await readFile(PATH, 'utf8').catch(() => ''))
