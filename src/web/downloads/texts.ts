/** Texts for an invalid link (spec §2, download page). */
export const invalidLinkMessage = {
  title: 'Invalid download link',
  description:
    'The file was removed, the link has expired, or the address is wrong. Ask the sender for a new link.',
}

/** Texts for a failed download (spec §8). */
export const downloadFailedMessage = {
  title: 'Download failed',
  description:
    'The file could not be downloaded. It may have been removed or the link may have expired.',
}
