import { type ChildProcess, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Origins } from '../../src/assemble.ts'
import { OPERATOR_TOKEN, SECRET } from './postern.ts'

const MAIN = resolve(import.meta.dirname, '../../src/main.js')

/** Postern as a process of its own, started as `npm start` starts it: from the bundle of these sources, where there is one. */
export class PosternProcess {
  readonly child: ChildProcess
  /** What it logged. */
  // biome-ignore lint/suspicious/noExplicitAny: log lines have members of every kind
  readonly lines: any[] = []
  stderr = ''
  readonly #logging = new EventEmitter()

  constructor(environment: Record<string, string>, folder: string, command: readonly string[] = [MAIN, '--bundle=use']) {
    const ports = { POSTERN_PORT: '0', POSTERN_ADS_PORT: '0', POSTERN_ADS_SANDBOX_PORT: '0' }
    const secrets = { POSTERN_SECRET: SECRET, POSTERN_OPERATOR_TOKEN: OPERATOR_TOKEN }
    const { PATH = '' } = process.env
    const drain = { POSTERN_DRAIN: '0s' }
    this.child = spawn(process.execPath, command, {
      cwd: folder,
      env: { PATH, ...ports, ...secrets, ...drain, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.child.stderr!.on('data', (chunk) => (this.stderr += chunk))
  }

  /** Resolves once it is ready; rejects with what it said when it ends before. */
  ready(): Promise<Origins> {
    return new Promise((resolveOrigins, reject) => {
      createInterface({ input: this.child.stdout! }).on('line', (line) => {
        const entry = JSON.parse(line)
        this.lines.push(entry)
        this.#logging.emit('line')
        if (entry.msg === 'ready') resolveOrigins(entry)
      })
      this.child.once('exit', (code) => reject(new Error(`ended with ${code}: ${this.stderr}`)))
    })
  }

  /** Resolves once it has logged a message that matches. */
  async logged(message: RegExp): Promise<void> {
    while (!this.lines.some(({ msg }) => message.test(msg))) await once(this.#logging, 'line')
  }

  /** Sends a signal and waits for the end; answers the exit code. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const ended = once(this.child, 'exit')
      this.child.kill(signal)
      await ended
    }
    return this.child.exitCode
  }
}
