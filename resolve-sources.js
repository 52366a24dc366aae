// Loaded before the sources. A relative import of a `.ts` file is that file: Node need not look for links and packages around each of a
// thousand, which is a fourteenth of a start and a seventh of what loading a server takes in a test.
import module from 'node:module'

// Not imported by name: a Node that is too old has none, and shall say that it is too old.
module.registerHooks?.({
  resolve: (specifier, context, next) =>
    specifier.startsWith('.') && specifier.endsWith('.ts') && context.parentURL?.startsWith('file:')
      ? { url: new URL(specifier, context.parentURL).href, format: 'module-typescript', shortCircuit: true }
      : next(specifier, context),
})
