/** A code as words. */
export const plain = (code: string): string => code.replaceAll("_", " ");
