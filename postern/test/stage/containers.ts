// What the files say that start Postern in containers. No container runs in the tests.
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'

export const root: string = resolve(import.meta.dirname, '../../..')
export const read = (path: string): string => readFileSync(join(root, path), 'utf8')

export const dockerfile: string = read('Dockerfile')
export const compose = parse(read('compose.yaml'), { merge: true, strict: true })

/** `FROM <image> AS <name>` and what follows, up to the next one. */
const stages = dockerfile
  .split(/^(?=FROM )/m)
  .slice(1)
  .map((text) => {
    const [, from, name] = /^FROM (\S+) AS (\S+)$/m.exec(text) ?? []
    return { from: from!, name: name!, text }
  })

/** The instructions of a stage of the image, after those of the stages that it is made from. */
export function stageText(name: string): string {
  const { from, text } = stages.find((stage) => stage.name === name)!
  return stages.some((stage) => stage.name === from) ? stageText(from) + text : text
}

/** The last stage is what `docker build` makes without a target. */
export const lastStage: string = stages.at(-1)!.name

/** The settings of Postern that an image has. */
export const imageEnvironment = (stage: string): Record<string, string> =>
  Object.fromEntries([...stageText(stage).matchAll(/(POSTERN_\w+)=(\S+)/g)].map(([, name, value]) => [name!, value!]))

/** An object of the API of Kubernetes, as a file has it. */
// biome-ignore lint/suspicious/noExplicitAny: each kind has its own shape, and the slow lane holds it against its schema
export type Manifest = { apiVersion: string; kind: string; metadata: { name: string } } & Record<string, any>

export const KUBERNETES = 'deploy/kubernetes'

/** All documents of a YAML file. Throws for what YAML does not allow, such as a key that comes twice. */
export function documentsOf(path: string): Manifest[] {
  return parseAllDocuments(read(path), { strict: true, uniqueKeys: true }).map((document) => {
    if (document.errors.length > 0) throw new Error(`${path}: ${document.errors[0]}`)
    return document.toJS()
  })
}

/** The objects of all files, each with its file: no kustomizations, and no values of charts. */
export const manifests: readonly { path: string; object: Manifest }[] = globSync(`${KUBERNETES}/**/*.yaml`, { cwd: root })
  .sort()
  .filter((path) => !/(kustomization|prometheus-adapter)\.yaml$/.test(path))
  .flatMap((path) => documentsOf(path).map((object) => ({ path, object })))

/** `NAME=value` lines, as of a file that systemd or kustomize reads. */
export const assignments = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]))
