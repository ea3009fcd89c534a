import { describe, expect, it } from "vitest";
import { isRefusal, Told } from "../../api/client";
import { Drawer } from "./outbox";

function shelf() {
  const held = new Map<string, string>();
  return {
    getItem: (key: string) => held.get(key) ?? null,
    setItem: (key: string, value: string) => void held.set(key, value),
    removeItem: (key: string) => void held.delete(key),
  };
}

describe("the drawer of a composer", () => {
  it("gives back after a reload what was typed and what has no receipt", () => {
    const storage = shelf();
    const letter = { clientId: "c1", text: "hello", mode: "steer" } as const;
    new Drawer(storage, "b1").keepDraft("half a");
    new Drawer(storage, "b1").keepLetter(letter);

    const again = new Drawer(storage, "b1");
    expect([again.draft(), again.letter()]).toEqual(["half a", letter]);
    expect(new Drawer(storage, "b2").letter()).toBeNull();
    again.keepLetter(null);
    expect(again.letter()).toBeNull();
  });

  it("passes over what it cannot read, and works without a storage", () => {
    const storage = shelf();
    storage.setItem("postroom.letter.b1", "{");
    expect(new Drawer(storage, "b1").letter()).toBeNull();
    storage.setItem("postroom.letter.b1", '{"clientId":"c","text":"x","mode":"shout"}');
    expect(new Drawer(storage, "b1").letter()).toBeNull();
    expect(new Drawer(null, "b1").draft()).toBe("");
  });
});

describe("a failure to send", () => {
  it("gives the text back only where nothing was sent for certain", () => {
    expect(isRefusal(new Told("mailbox_full", "", ""))).toBe(true);
    expect(isRefusal(new Told("engine_shutdown", "", ""))).toBe(false);
    expect(isRefusal(new TypeError("no answer"))).toBe(false);
  });
});
