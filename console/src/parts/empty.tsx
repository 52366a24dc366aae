import type { ComponentChildren } from 'preact'

/** Says that there is nothing, or what the console cannot do, and the command that helps. */
export const Empty = ({ children, command }: { children: ComponentChildren; command?: string }) => (
  <p class="empty">
    {children}
    {command && (
      <>
        {' '}
        <code>{command}</code>
      </>
    )}
  </p>
)
