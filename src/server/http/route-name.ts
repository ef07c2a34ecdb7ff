import type { ServerResponse } from 'node:http'

/** What requests are called whose path is not declared. All of them share this name. */
const undeclared = 'undeclared'

const names = new WeakMap<ServerResponse, string>()

/**
 * Notes which route answers a request. Metrics and traces show this name in place of the path.
 * @param name the declared path, such as `/s/{code}`. It never contains what a client sent.
 */
export function nameRoute(response: ServerResponse, name: string): void {
  names.set(response, name)
}

/** Returns the name of the route that answers this request. */
export function routeOf(response: ServerResponse): string {
  return names.get(response) ?? undeclared
}
