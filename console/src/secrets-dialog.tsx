import { Copyable } from './parts/copy.tsx'
import { Dialog } from './parts/dialog.tsx'
import { Facts } from './parts/facts.tsx'

export type Secrets = readonly (readonly [name: string, value: string])[]

/** Shows secrets this once: they are nowhere else in the console, and gone when it is closed. */
export const SecretsDialog = ({ secrets, closed }: { secrets: Secrets; closed: () => void }) => (
  <Dialog title="Shown only now" closed={closed}>
    {(close) => (
      <>
        <p>Copy what you need: the server does not tell it again.</p>
        <Facts of={secrets.map(([name, value]) => [name, <Copyable text={value} label={name} />])} />
        <button type="button" onClick={close}>
          Close
        </button>
      </>
    )}
  </Dialog>
)
