import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { WASI } from 'node:wasi'
import { RubyVM } from '@ruby/wasm-wasi'
import { loadPyodide } from 'pyodide'
import type { Runtime } from '../../../../receiver/test/stage/guide.ts'

const python: Runtime = async (verifier, asked) => {
  const interpreter = await loadPyodide()
  interpreter.globals.set('questions', JSON.stringify(asked))
  return JSON.parse(
    interpreter.runPython(`${verifier}
import json

def said(asked):
    if "crcToken" in asked:
        return answer_challenge(asked["crcToken"], asked["secret"])
    return is_signed(asked["header"], base64.b64decode(asked["bodyBase64"]), asked["secret"])

json.dumps([said(asked) for asked in json.loads(questions)])
`),
  )
}

/** What is used of PHP's packages, whose declarations the compiler cannot read. */
interface Php {
  writeFile(path: string, text: string): void
  run(of: { scriptPath: string }): Promise<{ text: string; errors: string }>
  exit(): void
}

async function startPhp(): Promise<Php> {
  const [{ PHP, loadPHPRuntime }, { getPHPLoaderModule }] = await Promise.all(
    ['@php-wasm/universal', '@php-wasm/node-8-4'].map((name) => import(name)),
  )
  return new PHP(await loadPHPRuntime(await getPHPLoaderModule()))
}

const php: Runtime = async (verifier, asked) => {
  const runtime = await startPhp()
  try {
    runtime.writeFile('/questions.json', JSON.stringify(asked))
    runtime.writeFile(
      '/main.php',
      `${verifier}
echo json_encode(array_map(
    fn ($asked) => array_key_exists('crcToken', $asked)
        ? answer_challenge($asked['crcToken'], $asked['secret'])
        : is_signed($asked['header'], base64_decode($asked['bodyBase64']), $asked['secret']),
    json_decode(file_get_contents('/questions.json'), true),
));`,
    )
    const { text, errors } = await runtime.run({ scriptPath: '/main.php' })
    if (errors) throw new Error(errors)
    return JSON.parse(text)
  } finally {
    runtime.exit()
  }
}

const ruby: Runtime = async (verifier, asked) => {
  const path = createRequire(import.meta.url).resolve('@ruby/3.4-wasm-wasi/dist/ruby+stdlib.wasm')
  const { compile } = (globalThis as unknown as { WebAssembly: { compile(bytes: Uint8Array): Promise<never> } }).WebAssembly
  const module = await compile(readFileSync(path))
  const { vm } = await RubyVM.instantiateModule({ module, wasip1: new WASI({ version: 'preview1', returnOnExit: true }) })
  const questions = Buffer.from(JSON.stringify(asked)).toString('base64')
  const said = vm.eval(`${verifier}
require "json"
JSON.generate(JSON.parse("${questions}".unpack1("m").force_encoding("UTF-8")).map { |asked|
  next answer_challenge(asked["crcToken"], asked["secret"]) if asked.key?("crcToken")
  signed?(asked["header"], asked["bodyBase64"].unpack1("m"), asked["secret"])
})`)
  return JSON.parse(said.toString())
}

/** Real runtimes, by the language of a block of code. */
export const runtimes: Record<string, Runtime> = { python, php, ruby }
