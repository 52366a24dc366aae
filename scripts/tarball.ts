import { globSync, lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

const BLOCK = 512

const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`

/** A header of the ustar format: names of up to 100 bytes, in a folder of up to 155. */
function header(path: string, size: number, mode: number): Buffer {
  const cut = path.length <= 100 ? 0 : path.indexOf('/', path.length - 101) + 1
  const [folder, name] = cut === 0 ? ['', path] : [path.slice(0, cut - 1), path.slice(cut)]
  if (Buffer.byteLength(name) > 100 || Buffer.byteLength(folder) > 155) throw new Error(`${path} is too long for a tarball`)
  const block = Buffer.alloc(BLOCK)
  block.write(name, 0)
  block.write(octal(mode & 0o777, 8) + octal(0, 8) + octal(0, 8) + octal(size, 12) + octal(0, 12), 100)
  block.write('        0', 148)
  block.write('ustar\x0000', 257)
  block.write(folder, 345)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

/** The tarball that `npm pack` would make of an installed package: its files, without packages within it. */
export function tarballOf(folder: string): Buffer {
  const paths = globSync('**/*', { cwd: folder, exclude: (name) => name === 'node_modules' })
  const parts = paths.flatMap((path) => {
    const about = lstatSync(join(folder, path))
    if (!about.isFile()) return []
    const bytes = readFileSync(join(folder, path))
    return [header(`package/${path}`, bytes.length, about.mode), bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)]
  })
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]), { level: 1 })
}
