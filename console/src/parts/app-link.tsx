import { portal } from '../api.ts'
import { appName } from '../names.ts'
import { Link } from '../router.tsx'

/** The name of an app, which leads to its page where there is one: a portal has none. */
export const AppLink = ({ id }: { id: string }) => (portal.value ? appName(id) : <Link to={['apps', id]}>{appName(id)}</Link>)
