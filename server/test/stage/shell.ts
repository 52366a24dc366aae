import { spawn } from 'node:child_process'

export interface Shell extends AsyncDisposable {
  /** Pastes commands; resolves with what they printed. Rejects with what failed and what was said when one of them fails. */
  paste(commands: string): Promise<string>
}

const MARK = '--- pasted ---'

/** A shell that commands are pasted into one block after another, as somebody does who follows a page. */
export function startShell(environment: Record<string, string>, cwd: string): Shell {
  const child = spawn('bash', ['--noprofile', '--norc'], { cwd, env: environment, stdio: ['pipe', 'pipe', 'pipe'] })
  const ended = new Promise<never>((_, reject) =>
    child.once('error', reject).once('close', () => reject(new Error(`the shell ended: ${said}`))),
  )
  ended.catch(() => {})
  let printed = ''
  let said = ''
  let look = () => {}
  child.stdout.on('data', (chunk) => {
    printed += chunk
    look()
  })
  child.stderr.on('data', (chunk) => (said += chunk))
  child.stdin.write(`set -E -o pipefail; trap 'failed="$BASH_COMMAND"' ERR\n`)

  const untilMark = () =>
    new Promise<string[]>((resolve) => {
      look = () => {
        const found = new RegExp(`^([\\s\\S]*)\\n${MARK}(.*)\\n`).exec(printed)
        if (found) resolve(found.slice(1))
      }
      look()
    })

  return {
    async paste(commands) {
      printed = ''
      said = ''
      child.stdin.write(`failed=\n${commands}\nprintf '\\n%s%s\\n' '${MARK}' "$failed"\n`)
      const [output = '', failed = ''] = await Promise.race([untilMark(), ended])
      if (failed !== '') throw new Error(`${failed}\nfailed: ${said}${output}`)
      return output
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await ended.catch(() => {})
    },
  }
}
