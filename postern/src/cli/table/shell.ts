import type { Command } from '../command.ts'

/** For shells and readers. */
export const shellCommands: readonly Command[] = [
  {
    name: 'completion',
    summary: 'Print a script that completes commands, options and values.',
    examples: [
      { line: 'source <(postern completion bash)', says: 'in ~/.bashrc' },
      { line: 'source <(postern completion zsh)', says: 'in ~/.zshrc, after compinit' },
      { line: 'postern completion fish > ~/.config/fish/completions/postern.fish', says: 'once' },
    ],
    arguments: [{ name: 'shell', summary: 'Which shell.', required: true, values: ['bash', 'zsh', 'fish'] }],
    options: {},
    offline: true,
    load: async () => (await import('../completion.ts')).runCompletion,
  },
  {
    name: 'help',
    summary: 'Say how a command is used, with examples.',
    examples: ['postern help', 'postern help trigger', 'postern help clock advance'],
    arguments: [{ name: 'command', summary: 'The command.', repeated: true }],
    options: {},
    offline: true,
    load: async () => (await import('../help.ts')).runHelp,
  },
]
