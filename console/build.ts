// Builds the console: node console/build.ts <folder>. The names of its files change with their contents, and each is there as gzip too.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { constants, gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'

const HERE = import.meta.dirname
const HASH_LENGTH = 8

/** A style sheet without its comments, and without the spaces that say nothing. */
const smaller = (css: string) =>
  css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s*\n\s*/g, '\n')
    .replace(/(?<=[{};,])\n|: |;?\n?(?=\})| (?=\{)/g, (space) => (space === ': ' ? ':' : ''))
    .trim()

/** What of uPlot nothing here uses, and the bundler cannot tell: other shapes of lines, what it offers to plugins, and its legend. */
const UNUSED: readonly (readonly [text: RegExp, instead: string])[] = [
  [/\(paths\.(stepped|bars|spline) +=.*?\);/g, ''],
  [/^\t?uPlot\.(assign|fmtNum|rangeNum|rangeLog|rangeAsinh|join|fmtDate|tzDate|addGap|clipGaps) += .*;$/gm, ''],
  [/(const showLegend = )legend\.show;/g, '$1false;'],
]

const smallerPlots = {
  name: 'smaller-plots',
  transform: {
    filter: { id: /uPlot\.esm\.js$/ },
    handler: (code: string) =>
      UNUSED.reduce((text, [unused, instead]) => {
        if (text.search(unused) < 0) throw new Error(`uPlot has nothing like ${unused} any more.`)
        return text.replace(unused, instead)
      }, code),
  },
}

async function bundleModules() {
  const build = await rolldown({
    input: { main: join(HERE, 'src/main.tsx') },
    cwd: HERE,
    platform: 'browser',
    preserveEntrySignatures: false,
    plugins: [smallerPlots],
    // How TSX is compiled stands in tsconfig.json.
    transform: { target: 'es2023' },
    onLog(level, log) {
      throw new Error(`${level}: ${log.code ?? ''} ${log.message}`)
    },
  })
  const { output } = await build.generate({
    format: 'esm',
    minify: true,
    // All that the first screen needs is one file, and what opens together is another: one file compresses better than several.
    codeSplitting: { groups: [{ name: 'main', tags: ['$initial'] }] },
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: '[name]-[hash].js',
  })
  await build.close()
  return output.filter((one) => one.type === 'chunk')
}

/** Writes the console into a folder, with `console.json`, which names its files. */
export async function buildConsole(out: string): Promise<void> {
  const chunks = await bundleModules()
  const css = smaller(readFileSync(join(HERE, 'src/style.css'), 'utf8'))
  const style = `style-${createHash('sha256').update(css).digest('hex').slice(0, HASH_LENGTH)}.css`
  const files = { ...Object.fromEntries(chunks.map(({ fileName, code }) => [fileName, code])), [style]: css }
  mkdirSync(out, { recursive: true })
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(out, `${name}.gz`), gzipSync(text, { level: constants.Z_BEST_COMPRESSION }))
  const entry = chunks.find(({ isEntry }) => isEntry)?.fileName
  writeFileSync(join(out, 'console.json'), JSON.stringify({ entry, style, files: Object.keys(files) }))
}

if (import.meta.main) await buildConsole(process.argv[2]!)
