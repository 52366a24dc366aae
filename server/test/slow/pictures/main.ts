// npm run pictures: takes the pictures of the console that the README and docs/console.md show.
//   npm run pictures -- <folder>     into another folder
import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'

const [folder = resolve(import.meta.dirname, '../../../../docs/pictures')] = process.argv.slice(2)

const { takePictures } = await import('./take-pictures.ts').catch((error: NodeJS.ErrnoException) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
  console.error(`The browser is not installed: \`npm ci --prefix server/test/slow\`. ${error.message}`)
  process.exit(1)
})
await mkdir(folder, { recursive: true })
await takePictures(folder)
