import type { ServerResponse } from 'node:http'
import { endpoints } from '../../shared/contract/index.ts'
import { pages } from '../../shared/pages.ts'
import { publicPages } from '../../shared/public-pages.ts'

/** The name of every request whose path is not declared. */
const undeclared = 'undeclared'

const names = new WeakMap<ServerResponse, string>()

/**
 * Notes which route answers a request. Metrics and the log show this name in place of the
 * path.
 * @param name the declared path, such as `/s/{code}`. It never contains what a client sent.
 */
export function nameRoute(response: ServerResponse, name: string): void {
  names.set(response, name)
}

/** Returns the name of the route that answers this request. */
export function routeOf(response: ServerResponse): string {
  return names.get(response) ?? undeclared
}

const declared: ReadonlySet<string> = new Set([
  ...Object.values(endpoints).map(({ path }) => path),
  ...pages,
  ...Object.values(publicPages).map(({ path }) => path),
])
const firstSegments: ReadonlySet<string> = new Set(['assets', ...[...declared].map(firstSegment)])

/**
 * Returns what the log may hold of a path. Whoever knows a short code can open the file, and a
 * misspelt path can hold one anywhere. So the log holds only names that we have declared: the route
 * that answers; for another path its first segment, if a declared path begins with it.
 */
export function loggedPath(response: ServerResponse, path: string): string {
  const name = names.get(response)
  if (name !== undefined) return name
  // The request was refused before its route was named. The path itself is declared, so it is safe
  // to log.
  if (declared.has(path)) return path
  const first = firstSegment(path)
  return first !== '' && firstSegments.has(first) ? `/${first}/…` : '/…'
}

function firstSegment(path: string): string {
  return path.split('/')[1] ?? ''
}
