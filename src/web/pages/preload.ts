import { createContext } from 'react'
import type { pages } from '../../shared/pages.ts'

/** The path of a screen of this application. */
export type PagePath = (typeof pages)[number]

/**
 * Provides the function that loads a link's target screen before a person presses the link. The
 * route table provides it. Links cannot import the screens themselves, because screens contain
 * links.
 */
export const Preload = createContext<(path: PagePath) => void>(() => undefined)
