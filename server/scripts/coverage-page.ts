import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Endpoint } from '../src/api/declare/endpoint.ts'
import { specifiedRows } from './specified-rows.ts'

const root = join(import.meta.dirname, '../..')

const sorted = (pattern: string) => globSync(pattern, { cwd: root }).sort()

/** An endpoint and the same at its deprecated path have one handler. */
const handleOf = (value: unknown) => (value as Partial<Endpoint> | null)?.handle

/** They list endpoints, and make none. */
const MAPS = ['server/src/endpoints/index.ts', 'server/src/development/endpoints.ts']

/** The file that exports each endpoint, by its handler. */
async function filesOf(): Promise<Map<unknown, string>> {
  const files = sorted('server/src/{endpoints,development}/**/*.ts').filter((file) => !MAPS.includes(file))
  const exported = await Promise.all(
    files.map(async (file) => Object.values(await import(join(root, file))).map((value) => [handleOf(value), file] as const)),
  )
  return new Map(exported.flat())
}

/** A parameter as code writes it. */
const PARAMETER = String.raw`(?:\$\{[^}]*\}|[\w:*-]+)`

/** The end of a path as code writes it: the last word, with what stands before it if that is a word too, and perhaps a parameter. */
function endOf(path: string): RegExp {
  const words = path.split('/')
  const last = words.findLastIndex((word) => !word.startsWith(':'))
  const named = words.slice(words[last - 1]?.startsWith(':') ? last : last - 1, last + 1).join('/')
  return new RegExp(`${named}(?:/${PARAMETER})?(?![\\w/])`, 'g')
}

/** Whether texts have every word of a path: `/users` alone ends many. */
const haveWordsOf = (path: string, texts: string) =>
  path
    .split('/')
    .filter((word) => /^[a-z]/.test(word))
    .every((word) => texts.includes(word))

/** How often a text names the path of an endpoint; none if it never says the verb, or a word of the path is nowhere in `all`. */
const mentionsOf = ({ method, path }: Endpoint, text: string, all: string) =>
  new RegExp(`\\b${method}\\b`, 'i').test(text) && haveWordsOf(path, all) ? [...text.matchAll(endOf(path))].length : 0

/** It names test files, whose paths read like those of endpoints. */
const NAMES_FILES = 'stage/databases.ts'

interface TestFile {
  name: string
  text: string
  /** What it imports from the stage. */
  stage: string
}

function readTest(file: string): TestFile {
  const text = readFileSync(join(root, file), 'utf8')
  const imported = [...text.matchAll(/from '(\.[^']*\/stage\/[^']*)'/g)].flatMap(([, path]) =>
    path!.endsWith(NAMES_FILES) ? [] : resolve(root, dirname(file), path!),
  )
  return { name: file.replace('server/test/', ''), text, stage: imported.map((path) => readFileSync(path, 'utf8')).join('\n') }
}

const walksTheMap = ({ text }: TestFile) => /\b(?:ads|general|operator)Endpoints\b.*from '.*\/all-endpoints\.ts'/.test(text)

/** The tests that name an endpoint, first those that are called as its folder or its path, then by how often; if none does, those whose stage does. */
function testsOf(endpoint: Endpoint, folder: string, tests: readonly TestFile[]): string[] {
  const subjects = [
    folder,
    endpoint.path
      .split('/')
      .findLast((word) => !word.startsWith(':'))!
      .replaceAll('_', '-'),
  ]
  const isCalledSo = (name: string) => Number(subjects.includes(name.replace(/^.*\/|\.test\.ts$/g, '')))
  const by = (place: 'text' | 'stage') =>
    tests
      .map((test) => ({ name: test.name, mentions: mentionsOf(endpoint, test[place], `${test.text}\n${test.stage}`) }))
      .filter(({ mentions }) => mentions > 0)
      .sort((a, b) => isCalledSo(b.name) - isCalledSo(a.name) || b.mentions - a.mentions)
      .map(({ name }) => name)
  const direct = by('text')
  return direct.length > 0 ? direct : by('stage')
}

const MOST_SHOWN = 3

const listed = (files: readonly string[]) => files.map((file) => `\`${file}\``).join(', ')

/** The part of a path that is a kind of record. */
const KIND = '{legacy_card_type}'

/** The title of a section, whose number leads to the same heading of the specification, by the anchor that GitHub gives it. */
const linked = (title: string) =>
  title.replace(
    /^\S+/,
    (section) =>
      `[${section}](specification.md#${title
        .toLowerCase()
        .replaceAll(/[^a-z0-9 ]/g, '')
        .replaceAll(' ', '-')})`,
  )

/** Holds the map against §4: every row with its endpoint, file and tests, or "missing"; then what is served besides. */
export async function coveragePage(endpoints: readonly Endpoint[]): Promise<string> {
  const files = await filesOf()
  const all = sorted('server/test/**/*.test.ts').map(readTest)
  const walking = all.filter(walksTheMap)
  const tests = all.filter((test) => !walking.includes(test))
  const routeOf = ({ method, path }: Endpoint) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`
  const served = new Map(endpoints.map((endpoint) => [routeOf(endpoint), endpoint]))

  /** The endpoints of a row: one, or where a part of the path is a kind of record, one for each kind. */
  const endpointsOf = (route: string): Endpoint[] => {
    const exact = served.get(route)
    if (exact || !route.includes(KIND)) return exact ? [exact] : []
    const ofKind = new RegExp(`^${route.replaceAll(/[{}]/g, String.raw`\$&`).replace(String.raw`\{legacy_card_type\}`, '[a-z_]+')}$`)
    return [...served].filter(([other]) => ofKind.test(other)).map(([, endpoint]) => endpoint)
  }

  const row = (route: string) => {
    const [endpoint, ...others] = endpointsOf(route)
    if (!endpoint) return `| \`${route}\` | **missing** | | |`
    const file = files.get(endpoint.handle)!.replace(/^server\/src\/(?:endpoints\/)?/, '')
    const naming = testsOf(endpoint, basename(dirname(file)), tests)
    const more = naming.length > MOST_SHOWN ? ` and ${naming.length - MOST_SHOWN} more` : ''
    return `| \`${route}\` | ${[endpoint, ...others].map(({ name }) => name).join(', ')} | \`${file}\` | ${listed(naming.slice(0, MOST_SHOWN))}${more} |`
  }
  const table = (title: string, routes: readonly string[]) =>
    `## ${title}\n\n| row | endpoint | file | tests |\n|---|---|---|---|\n${routes.map(row).join('\n')}\n`

  const specified = Object.values(specifiedRows).flat()
  const standing = specified.filter((route) => endpointsOf(route).length > 0)
  const named = new Set(specified.flatMap(endpointsOf))
  const besides = [...served].filter(([, endpoint]) => !named.has(endpoint)).map(([route]) => route)
  return [
    `# Coverage\n\n${standing.length} of the ${specified.length} endpoints that §4 of the [specification](specification.md) names are served. Generated from \`server/src/endpoints/index.ts\` and \`server/src/development/endpoints.ts\`. Files are in \`server/src/endpoints\`, those of \`development/\` in \`server/src\`, tests in \`server/test\`; a row lists the tests that mention its path and method, most mentions first. What holds for every endpoint is tested by ${listed(walking.map(({ name }) => name))}, which walk the map.\n`,
    ...Object.entries(specifiedRows).map(([title, routes]) => table(linked(title), routes)),
    table('Besides §4', besides),
  ].join('\n')
}
