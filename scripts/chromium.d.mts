export function findChromium(): Promise<string | null>
export function findChromiumForStories(): Promise<string | null>
