import type { CommandOption } from './command.ts'

/**
 * Divides the words behind a command into its own and those of the program that it starts: the latter begin with the first that is no
 * option, or behind `--`.
 */
export function ownWords(words: readonly string[], options: Readonly<Record<string, CommandOption>>): { own: string[]; rest: string[] } {
  let at = 0
  while (at < words.length && words[at]!.startsWith('-') && words[at] !== '--') {
    const name = words[at]!.replace(/^--/, '')
    at += options[name]?.type === 'string' ? 2 : 1
  }
  return { own: words.slice(0, at), rest: words.slice(words[at] === '--' ? at + 1 : at) }
}
